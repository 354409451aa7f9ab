import { describe, expect, test } from 'vitest';

import { type Examined, examineText } from '#dialects/examine-text.ts';

type Diagnosis = Extract<Examined, { kind: 'plan' }>;

function examined(text: string): Diagnosis {
  const result = examineText({ text });
  if (result.kind === 'plan') return result;
  throw new TypeError(result.issues.map(({ message }) => message).join('; '));
}

const kept = 'workspace: { setup: npm ci, protect: ["test/**"] }\n';

/** What looks closed, its text, the rule that finds it and what is missing: the rows in the order of D-17's source. */
const rows: readonly [string, string, string, 'signal' | 'route' | 'limit'][] = [
  [
    'the prompt says "run the tests until they pass"',
    'steps:\n  fix: { agent: codex, prompt: Fix the parser. Run the tests until they pass. }\n',
    'loop/agent-decides',
    'signal',
  ],
  [
    'the agent reviews its own work',
    'steps:\n  fix: { agent: codex, prompt: "Fix it, review your work, end with REVIEWED OK.", pass: "^REVIEWED OK$", loop: { limit: 3 } }\n',
    'loop/self-review',
    'signal',
  ],
  [
    'the agent can edit what the check runs',
    'task: Fix the parser.\nagent: codex\nchecks: [./verify.sh]\n',
    'check/agent-can-edit',
    'signal',
  ],
  [
    'a pipe hides the exit code of the condition',
    `steps:\n  fix: { agent: codex, prompt: Read test.log., loop: { until: make test | tee test.log, limit: 3 } }\n${kept}`,
    'check/pipe-hides-exit',
    'signal',
  ],
  [
    'a condition that ends the loop and tells nobody what failed',
    `steps:\n  fix: { agent: codex, prompt: Fix the parser., loop: { until: make test, limit: 3 } }\n${kept}`,
    'loop/condition-tells-nothing',
    'route',
  ],
  [
    'the prompt says only "implement TASK.md"',
    `steps:\n  fix: { agent: codex, prompt: Implement TASK.md (see out.log)., loop: { until: make test > out.log, limit: 3 } }\n${kept}`,
    'loop/prompt-ignores-check',
    'route',
  ],
  [
    'retries are the only repetition',
    'steps:\n  fix: { agent: codex, readOnly: true, prompt: Answer., retry: { on: notVerdict, limit: 3 } }\n',
    'loop/retry-is-no-loop',
    'route',
  ],
  [
    'a test step after the agent',
    `steps:\n  fix: { agent: codex, prompt: Fix the parser. }\n  test: { run: make test, after: fix }\n${kept}`,
    'loop/gate-only',
    'route',
  ],
  [
    'a schema on the answer as a gate',
    'steps:\n  triage: { agent: codex, readOnly: true, prompt: Triage., checks: [{ schema: { file: s.json } }] }\n',
    'loop/schema-is-gate',
    'route',
  ],
  [
    'a person who cannot push back',
    'steps:\n  draft: { agent: claude, prompt: Draft. }\n  ok: { person: { ask: Publish? }, after: draft }\n',
    'loop/person-is-gate',
    'route',
  ],
  [
    'a nightly schedule',
    'steps:\n  sweep: { agent: codex, prompt: Sweep., checks: [make lint], loop: { limit: 2 } }\non: { schedule: { cron: "0 3 * * *" } }\n',
    'loop/schedule-forgets',
    'route',
  ],
  [
    'a repetition without a limit',
    'steps:\n  fix: { agent: codex, prompt: Fix it., checks: [make lint], loop: { limit: none } }\n',
    'loop/no-limit',
    'limit',
  ],
  [
    'a limit with nothing after the loop',
    `steps:\n  fix: { agent: codex, prompt: Read out.log and fix it., loop: { until: make test > out.log, limit: 3, onExhausted: succeed } }\n${kept}`,
    'loop/nothing-after-limit',
    'limit',
  ],
];

/** A Dagu workflow around one agent's step; `more` are keys of the step, `after` further steps. */
function dagu(prompt: string, more = '', after = '', top = ''): string {
  const indented = more.split('\n').map((line) => (line === '' ? '' : `    ${line}\n`));
  return `${top}working_dir: /repos/app
steps:
  - id: fix
    action: harness.run
    with:
      provider: codex
      prompt: ${JSON.stringify(prompt)}
${indented.join('')}${after}`;
}

const log = '${context.paths.artifacts_dir}/test.log';
const until = (condition: string, limit = 'limit: 3'): string =>
  `repeat_policy:\n  repeat: until\n  condition: ${JSON.stringify(condition)}${limit === '' ? '' : `\n  ${limit}`}`;
const testsAfter = '  - id: tests\n    depends: [fix]\n    run: make test\n';
const told = `Make the suite pass. Do not edit the tests. Read ${log} first.`;

/** The same rows as people write them for Dagu. */
const daguRows: typeof rows = [
  ['the prompt', dagu('Fix it. Run the tests until they pass.'), 'loop/agent-decides', 'signal'],
  [
    'the agent reviews its own work',
    dagu(
      'Fix the parser and review your work. Answer APPROVED or REJECTED.',
      `stdout:\n  artifact: review.txt\n${until('grep -q ^APPROVED$ "${context.paths.artifacts_dir}/review.txt"')}`,
      testsAfter,
    ),
    'loop/self-review',
    'signal',
  ],
  [
    'the agent can edit what the check runs',
    dagu(told, until(`./verify.sh > ${log} 2>&1`), '  - id: again\n    depends: [fix]\n    run: ./verify.sh\n'),
    'check/agent-can-edit',
    'signal',
  ],
  ['a pipe', dagu(told, until(`make test | tee ${log}`), testsAfter), 'check/pipe-hides-exit', 'signal'],
  [
    'a condition alone',
    dagu('Make the suite pass. Do not edit the tests.', until('make test'), testsAfter),
    'loop/condition-tells-nothing',
    'route',
  ],
  [
    'implement TASK.md',
    dagu(
      `Implement TASK.md. (Log: ${log.replace('test', 'out')})`,
      until(`make test > ${log.replace('test', 'out')}`),
      testsAfter,
    ),
    'loop/prompt-ignores-check',
    'route',
  ],
  [
    'retry_policy',
    dagu('Answer the question in QUESTION.md.', 'retry_policy:\n  limit: 3\n  interval_sec: 5').replace(
      'provider: codex',
      'provider: codex\n      sandbox: read-only',
    ),
    'loop/retry-is-no-loop',
    'route',
  ],
  ['a test step', dagu('Mend the parser. Do not edit the tests.', '', testsAfter), 'loop/gate-only', 'route'],
  [
    'output_schema',
    dagu('Triage REPORT.md.', 'output_schema:\n  type: object\n  required: [severity]').replace(
      'provider: codex',
      'provider: codex\n      sandbox: read-only',
    ),
    'loop/schema-is-gate',
    'route',
  ],
  [
    'human.task without push_back',
    dagu(
      'Draft the notes.',
      '',
      '  - id: ok\n    depends: [fix]\n    action: human.task\n    with:\n      prompt: Publish?\n',
    ),
    'loop/person-is-gate',
    'route',
  ],
  [
    'a nightly schedule',
    dagu('Remove dead code. Do not edit the tests.', '', '', 'schedule: "0 3 * * *"\n'),
    'loop/schedule-forgets',
    'route',
  ],
  ['no limit', dagu(told, until(`make test > ${log} 2>&1`, ''), testsAfter), 'loop/no-limit', 'limit'],
  [
    'nothing after the limit',
    dagu(told, until(`make test > ${log} 2>&1`), '  - id: ship\n    depends: [fix]\n    run: ./ship.sh\n'),
    'loop/nothing-after-limit',
    'limit',
  ],
];

describe('D-17: the same rows in Dagu workflows', () => {
  test.each(daguRows)('D-17: %s (dagu)', (_what, text, rule, missing) => {
    const { dialect, findings } = examined(text);
    expect(dialect).toBe('dagu-yaml');
    expect(findings.map((finding) => [finding.rule, finding.missing])).toContainEqual([rule, missing]);
  });
});

describe('D-17: loops that only look closed, and which part is missing', () => {
  test.each(rows)('D-17: %s', (_what, text, rule, missing) => {
    const { findings } = examined(text);
    expect(findings.map((finding) => [finding.rule, finding.missing])).toEqual([[rule, missing]]);
    const [finding] = findings;
    expect(finding?.line).toBeGreaterThan(0);
    expect(finding?.remedy).toMatch(/\S/);
  });
});

test('D-04: a limit of Dagu that judges nothing is told, unless a step after it judges', () => {
  const looping = until(`make test > ${log} 2>&1`);
  const [finding] = examined(dagu(told, looping)).findings;
  expect(finding).toMatchObject({ rule: 'loop/nothing-after-limit', missing: 'limit' });
  expect(examined(dagu(told, looping, testsAfter)).findings).toEqual([]);
});

describe('D-21: three questions for every loop', () => {
  test('D-21: a loop that only looks closed fails the question of the part that is missing', () => {
    for (const [what, text, , missing] of rows) {
      const { findings, loops } = examined(text);
      const loop = loops.find(({ loop: id }) => findings.some((finding) => finding.loop === id));
      if (loop === undefined) continue;
      expect([what, loop[missing].good, loop.closed]).toEqual([what, false, false]);
    }
  });

  test('D-21: good answers are no, what the check found, and something that the plan handles', () => {
    const text = `steps:
  fix: { agent: codex, prompt: Fix the parser. }
  test: { run: make test, after: fix, loop: { to: fix, limit: 3 } }
  ready: { person: { ask: Ship? }, after: test, loop: { to: fix } }
limits: { spend: 5 USD }
${kept}`;
    const { findings, loops } = examined(text);
    expect(findings).toEqual([]);
    expect(loops.map(({ loop, closed }) => [loop, closed])).toEqual([
      ['test', true],
      ['ready', true],
    ]);
    const [test, ready] = loops;
    expect(test?.signal.answer).toBe(
      'No, as far as the plan tells: what decides is the exit code of `make test`; a change to test/** fails the pass.',
    );
    expect(test?.route.answer).toBe(
      'What was found by the exit code of `make test`: its output is appended to the prompt of `fix`.',
    );
    expect(test?.limit.answer).toBe('After 4 passes or 4h of active time or 5 USD the run fails, with what was found.');
    expect(ready?.route.answer).toBe('What the person wrote: it is appended to the prompt of `fix`.');
    expect(ready?.limit.answer).toBe('The person is the limit: whoever stops sending the work back ends it.');
  });
});

import { describe, expect, test } from 'vitest';

import type { CheckPlan } from '#core/check/check-plan.ts';
import { compileText } from '#dialects/parse.ts';

/** A short form whose only checks these are. */
const short = (checks: string, agent = 'codex'): string => `task: Do it\nagent: ${agent}\nchecks:\n${checks}`;

function checksOf(text: string): CheckPlan[] {
  const compiled = compileText({ text });
  if (compiled.kind === 'issues') expect(compiled.issues).toEqual([]);
  return compiled.kind === 'plan' ? (compiled.plan.steps[0]?.checks ?? []) : [];
}

function issuesOf(text: string): string[] {
  const compiled = compileText({ text });
  const issues = compiled.kind === 'plan' ? compiled.warnings : compiled.issues;
  return issues.map(({ line, severity, code }) => `${line}:${severity}:${code}`);
}

describe('a review', () => {
  test('B5: is asked of another agent, where none is named of one that the host chooses', () => {
    expect(checksOf(short('  - { review: { criterion: Tested } }'))[0]).toMatchObject({
      name: 'review',
      agent: { name: 'auto', session: 'fresh' },
      criterion: 'Tested',
      consecutive: 1,
    });
    const own =
      '  - { review: { agent: { name: claude, model: opus, time: 20m }, criterion: Tested, consecutive: 3 } }';
    expect(checksOf(short(own))[0]).toMatchObject({
      agent: { name: 'claude', model: 'opus' },
      consecutive: 3,
      timeSeconds: 1200,
    });
  });

  test('B2: is asked once the checks before it passed; at once where one passing check is enough', () => {
    const review = '  - { review: { criterion: Tested } }';
    expect(checksOf(short(review))[0]?.needs).toBe('passed');
    expect(checksOf(`${short(review)}\nmode: any`)[0]?.needs).toBe('always');
    expect(checksOf(short('  - { needs: always, review: { criterion: Tested } }'))[0]?.needs).toBe('always');
  });

  test.each<[string, string, string[]]>([
    ['no criterion', short('  - review: { agent: claude }'), ['4:error:definition/missing']],
    ['an unknown agent', short('  - review: { agent: claud, criterion: x }'), ['4:error:agent/unknown']],
    ['an unknown key', short('  - review: { criterion: x, critera: y }'), ['4:error:definition/unknown-key']],
    ['no review in a row', short('  - review: { criterion: x, consecutive: 0 }'), ['4:error:definition/out-of-range']],
    [
      'two times',
      short('  - { time: 5m, review: { agent: { name: claude, time: 6m }, criterion: x } }'),
      ['4:error:definition/conflict'],
    ],
    [
      'more time than a check has (B8)',
      short('  - { time: 2h, review: { criterion: x } }'),
      ['4:error:check/time-too-long'],
    ],
    ['an unknown value', short('  - review: { criterion: "{{inputs.x}}" }'), ['4:error:template/unknown-input']],
    ['its own provider (B5)', short('  - review: { agent: codex, criterion: x }'), ['4:warning:review/same-provider']],
    [
      'a spend limit that cannot hold (E7)',
      `${short('  - review: { agent: amp, criterion: x }')}\nlimits: { spend: 1 USD }`,
      ['5:error:limit/cannot-bind'],
    ],
  ])('%s is an issue with its line', (_what, text, expected) => {
    expect(issuesOf(text)).toEqual(expected);
  });
});

describe('B7: a report', () => {
  test('holds a worklist, or lists an artifact, in a file of its own', () => {
    const checks = checksOf(
      short('  - make\n  - report: { worklist: true }\n  - { report: { artifact: docs/a.md, file: out/r.json } }'),
    );
    expect(checks.slice(1)).toEqual([
      {
        name: 'report',
        kind: 'report',
        needs: 'always',
        timeSeconds: 600,
        file: '.setpoint-report.json',
        wants: { kind: 'worklist' },
      },
      {
        name: 'report (2)',
        kind: 'report',
        needs: 'always',
        timeSeconds: 600,
        file: 'out/r.json',
        wants: { kind: 'artifact', path: 'docs/a.md' },
      },
    ]);
  });

  test.each<[string, string, string[]]>([
    ['nothing that it wants', short('  - make\n  - report: { file: a.json }'), ['5:error:definition/missing']],
    ['two things', short('  - make\n  - report: { worklist: true, artifact: a }'), ['5:error:definition/conflict']],
    ['no worklist', short('  - make\n  - report: { worklist: false }'), ['5:error:definition/conflict']],
    ['an artifact outside', short('  - make\n  - report: { artifact: ../a }'), ['5:error:workspace/bad-path']],
    [
      'a report outside',
      short('  - make\n  - report: { worklist: true, file: /tmp/r }'),
      ['5:error:workspace/bad-path'],
    ],
    ['no hard check beside it', short('  - report: { worklist: true }'), ['4:warning:report/alone']],
    [
      'only an opinion beside it',
      short('  - report: { worklist: true }\n  - review: { criterion: x }'),
      ['4:warning:report/alone'],
    ],
  ])('%s is an issue with its line', (_what, text, expected) => {
    expect(issuesOf(text)).toEqual(expected);
  });
});

describe('loops', () => {
  test('C7: running out may ask a person, for the run and for one loop', () => {
    const compiled = compileText({
      text: 'steps:\n  a: { run: x, loop: { limit: 2 } }\n  b: { run: x, loop: { onExhausted: ask } }\nonExhausted: ask\n',
    });
    const plan = compiled.kind === 'plan' ? compiled.plan : expect.fail('no plan');
    expect(plan.limits).toMatchObject({ onTime: 'ask', onSpend: 'ask' });
    expect(plan.steps.map((step) => step.loop?.onExhausted)).toEqual(['ask', 'ask']);
  });

  test('C5: every part of a condition can be said; C6: a loop may go on while it passes', () => {
    const compiled = compileText({
      text: [
        'steps:',
        '  a:',
        '    run: x',
        '    loop: { while: { run: ./more, compare: stderr, returns: more, time: 2m }, onError: fail, wait: { every: 1m } }',
        '  b: { run: x, loop: { on: pass, limit: 3, onExhausted: succeed } }',
        '  c: { run: x, loop: { until: { run: ./n, returns: 75 } } }',
      ].join('\n'),
    });
    const plan = compiled.kind === 'plan' ? compiled.plan : expect.fail('no plan');
    expect(plan.steps.map((step) => step.loop)).toMatchObject([
      {
        on: 'always',
        wait: { everySeconds: 60 },
        repeat: {
          mode: 'while',
          onError: 'fail',
          condition: { command: './more', compare: 'stderr', returns: 'more', timeSeconds: 120 },
        },
      },
      { on: 'pass', limit: 3, onExhausted: 'succeed' },
      { repeat: { mode: 'until', condition: { compare: 'auto', returns: '75' } } },
    ]);
  });
});

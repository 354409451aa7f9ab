import { describe, expect, test } from 'vitest';

import { issueCodes } from '#core/issue/issue-codes.ts';
import { compileText } from '#dialects/parse.ts';

/** A short form whose lines 1 to 3 are right; what is broken comes on line 4 and after. */
const short = (...lines: string[]): string =>
  ['task: Mend it', 'agent: codex', 'checks: [npm test]', ...lines].join('\n');
/** A long form with a right step on line 2; what is broken comes on line 3 and after. */
const long = (...lines: string[]): string => ['steps:', '  first: { run: make }', ...lines].join('\n');

/** [what, text, every issue as `line:code`] */
const broken: [string, string, string[]][] = [
  ['an empty file', '', ['1:source/empty']],
  ['a file of comments', '# nothing\n', ['1:source/empty']],
  ['a list in place of a mapping', '- a\n- b\n', ['1:definition/wrong-type']],
  ['a mapping that is not closed', 'task: {a: 1\nagent: codex', ['2:source/syntax']],
  ['a tab as indentation', 'steps:\n\tfirst: x', ['2:source/syntax']],
  ['a key written twice (A14)', short('task: Other'), ['4:source/duplicate-key']],
  ['a key written twice in a step (A14)', long('  b:', '    run: x', '    run: y'), ['5:source/duplicate-key']],
  ['a second document (A14)', short('---', 'task: x'), ['5:source/second-document']],
  ['another version of YAML (A14)', '%YAML 1.1\n---\ntask: x\nagent: codex\nchecks: [a]', ['1:source/syntax']],
  [
    'the marks of a merge',
    short('<'.repeat(7) + ' ours', 'name: a', '='.repeat(7), 'name: b'),
    ['4:source/syntax', '6:source/syntax'],
  ],
  ['an unknown tag', short('name: !secret x'), ['4:source/tag']],
  ['a binary tag', short('name: !!binary aGk='), ['4:source/tag']],
  ['a mapping as a key', short('? {a: 1}', ': x'), ['4:source/bad-key']],
  ['an alias without anchor', short('name: *nobody'), ['4:source/syntax']],
  ['an alias that contains itself', short('labels: &a [*a]'), ['4:source/too-deep']],
  ['an unknown key', 'task: x\nagent: codex\nchekcs: [npm test]', ['1:loop/no-signal', '3:definition/unknown-key']],
  ['an unknown key of a step', long('  b: { run: x, aftr: first }'), ['3:definition/unknown-key']],
  ['an unknown key deep inside', long('  b: { run: x, loop: { wait: { evry: 1s } } }'), ['3:definition/unknown-key']],
  ['a merge key', short('env:', '  <<: { A: b }'), ['5:definition/wrong-type']],
  ['another version', short('setpoint: 2'), ['4:definition/version']],
  ['a task without checks', 'task: x\nagent: codex', ['1:loop/no-signal']],
  ['an empty list of checks', 'task: x\nagent: codex\nchecks: []', ['3:loop/no-signal']],
  ['a task without agent', 'task: x\nchecks: [a]', ['1:definition/missing']],
  ['an empty task', 'task: ""\nagent: codex\nchecks: [a]', ['1:definition/empty']],
  ['a NUL character', 'task: "a\\0b"\nagent: codex\nchecks: [a]', ['1:definition/bad-character']],
  ['a task without a value', 'agent: codex\ntask:\nchecks: [a]', ['2:definition/empty']],
  ['neither task nor steps', 'name: x', ['1:definition/missing']],
  ['short and long form mixed', long('task: x', 'agent: codex'), ['3:definition/conflict', '4:definition/conflict']],
  ['no steps', 'steps: {}', ['1:definition/empty']],
  ['a step that is text', long('  b: make all'), ['3:definition/wrong-type']],
  ['a step without work', long('  b: { after: first }'), ['3:definition/missing']],
  ['a step with two kinds of work', long('  b: { run: x, agent: codex, prompt: y }'), ['3:definition/conflict']],
  ['an agent step without prompt', long('  b: { agent: codex }'), ['3:definition/missing']],
  ['a prompt for a command', long('  b: { run: x, prompt: y }'), ['3:definition/conflict']],
  ['an unknown agent', 'task: x\nagent: codx\nchecks: [a]', ['2:agent/unknown']],
  ['an unknown fallback', 'task: x\nagent: { name: codex, fallback: [claud] }\nchecks: [a]', ['2:agent/unknown']],
  ['custom without command', 'task: x\nagent: custom\nchecks: [a]', ['2:agent/incomplete']],
  ['scripted without passes', 'task: x\nagent: scripted\nchecks: [a]', ['2:agent/incomplete']],
  ['a time without unit', short('limits: { time: 90 }'), ['4:definition/bad-duration']],
  ['a time in words', short('limits: { time: two hours }'), ['4:definition/bad-duration']],
  ['no time at all', short('limits: { time: 0s }'), ['4:definition/out-of-range']],
  ['money without currency', short('limits: { spend: 5 }'), ['4:definition/bad-money']],
  ['money in another currency', short('limits: { spend: 5 EUR }'), ['4:definition/bad-money']],
  ['no passes', short('limits: { passes: 0 }'), ['4:definition/out-of-range']],
  ['half a pass', short('limits: { passes: 1.5 }'), ['4:definition/wrong-type']],
  ['a number with a leading zero', short('limits: { passes: 010 }'), ['4:definition/wrong-type']],
  ['a word where only some are known', short('onExhausted: stop'), ['4:definition/unknown-value']],
  ['a flag in words', short('workspace: { worktree: no }'), ['4:definition/wrong-type']],
  [
    'an exit code above 255 (A14)',
    'task: x\nagent: codex\nchecks:\n  - { run: a, expect: { exit: 256 } }',
    ['4:definition/out-of-range'],
  ],
  ['exit codes to retry above 255 (A14)', short('retry: { on: [75, 300] }'), ['4:definition/out-of-range']],
  ['a check without a signal', 'task: x\nagent: codex\nchecks:\n  - { name: a }', ['4:definition/missing']],
  [
    'a check with two signals',
    'task: x\nagent: codex\nchecks:\n  - { run: a, match: { pass: b } }',
    ['4:definition/conflict'],
  ],
  ['the same check twice', 'task: x\nagent: codex\nchecks:\n  - npm test\n  - npm test', ['5:check/duplicate-name']],
  [
    'two checks with one name',
    'task: x\nagent: codex\nchecks:\n  - { name: a, run: b }\n  - { name: a, run: c }',
    ['5:check/duplicate-name'],
  ],
  [
    'a check of more than 30 minutes (B8)',
    'task: x\nagent: codex\nchecks:\n  - { run: a, time: 31m }',
    ['4:check/time-too-long'],
  ],
  [
    'a match of an unknown step',
    'task: x\nagent: codex\nchecks:\n  - match: { of: steps.wrok.output, pass: ok }',
    ['4:step/unknown'],
  ],
  [
    'a match of something else',
    'task: x\nagent: codex\nchecks:\n  - match: { of: stdout, pass: ok }',
    ['4:check/bad-reference'],
  ],
  [
    'a match without pattern',
    'task: x\nagent: codex\nchecks:\n  - match: { of: steps.work.output }',
    ['4:definition/missing'],
  ],
  [
    'a schema from nowhere',
    'task: x\nagent: codex\nchecks:\n  - schema: { of: steps.work.output }',
    ['4:definition/missing'],
  ],
  ['an empty pattern (A6)', long('  b:', '    run: x', '    pass: ""'), ['5:pattern/empty']],
  ['an invalid pattern (V-10)', long('  b:', '    run: x', "    fail: '('"), ['5:pattern/invalid']],
  ['an inline flag (A14)', long('  b:', '    run: x', "    pass: '(?i)ok'"), ['5:pattern/foreign']],
  ['a possessive quantifier (A14)', long('  b:', '    run: x', "    pass: 'a++b'"), ['5:pattern/foreign']],
  ['an anchor of another language (A14)', long('  b:', '    run: x', "    pass: '\\Aok\\z'"), ['5:pattern/foreign']],
  [
    'verdict and pattern',
    long('  b:', '    agent: codex', '    prompt: x', '    verdict: approve', '    pass: ok'),
    ['6:definition/conflict'],
  ],
  ['an unknown step in after', long('  b: { run: x, after: frist }'), ['3:step/unknown']],
  ['an id that templates cannot carry', long('  b c: { run: x }'), ['3:step/bad-id']],
  ['steps that wait for each other', long('  b: { run: x, after: c }', '  c: { run: x, after: b }'), ['3:step/cycle']],
  ['a step that waits for itself', long('  b: { run: x, after: b }'), ['3:step/cycle']],
  ['a loop to an unknown step', long('  b: { run: x, loop: { to: frist } }'), ['3:step/unknown']],
  ['a loop to a step beside', long('  b: { run: x, loop: { to: first } }'), ['3:loop/not-upstream']],
  [
    'a loop without any bound (C1)',
    long('  b: { run: x, loop: { limit: none } }', 'limits: { time: none }'),
    ['3:loop/unbounded'],
  ],
  ['until and while', long('  b: { run: x, loop: { until: a, while: b } }'), ['3:definition/conflict']],
  [
    'a spend limit that cannot bind (R047)',
    'task: x\nagent: amp\nchecks: [a]\nlimits: { spend: 1 USD }',
    ['4:limit/cannot-bind'],
  ],
  [
    'an unknown root in a template (V-20)',
    'task: "{{issue.key}}"\nagent: codex\nchecks: [a]',
    ['1:template/unknown-root'],
  ],
  ['an unknown input', 'task: "{{inputs.x}}"\nagent: codex\nchecks: [a]', ['1:template/unknown-input']],
  [
    'an unknown step in a template',
    'task: "{{steps.wrk.output}}"\nagent: codex\nchecks: [a]',
    ['1:template/unknown-step'],
  ],
  ['a template that is not closed', 'task: "{{feedback"\nagent: codex\nchecks: [a]', ['1:template/unclosed']],
  ['a block that is not closed', 'task: "{{#if feedback}}x"\nagent: codex\nchecks: [a]', ['1:template/unclosed-if']],
  ['an unknown filter', 'task: "{{feedback | upper}}"\nagent: codex\nchecks: [a]', ['1:template/unknown-filter']],
  [
    "another program's template",
    "task: x\nagent: codex\nchecks:\n  - docker ps --format '{{.Names}}'",
    ['4:template/bad-tag'],
  ],
  [
    'a value inside quotes of a command (A11)',
    'task: x\nagent: codex\nchecks:\n  - echo "{{run.name}}"',
    ['4:template/insertion-in-quotes'],
  ],
  [
    'delivery without worktree (F4)',
    short('workspace: { worktree: false }', 'deliver: branch'),
    ['5:deliver/needs-worktree'],
  ],
  ['a variable with a bad name', short('env: { "A-B": x }'), ['4:env/bad-name']],
  ['a secret in clear text', short('env: { TOKEN: x }', 'secrets: [TOKEN]'), ['4:secret/also-in-env']],
  ['a variable of ours', short('env: { SETPOINT_URL: x }'), ['4:env/reserved']],
  ['a base without worktree (F4)', short('workspace: { worktree: false, base: main }'), ['4:workspace/needs-worktree']],
  [
    'a clean checkout without worktree (F4)',
    long('  b:', '    run: x', '    checks: [{ run: y, where: commit }]', 'workspace: { worktree: false }'),
    ['5:workspace/needs-worktree'],
  ],
  ['an input that templates cannot name', short('inputs: { "a b": { type: string } }'), ['4:input/bad-name']],
  ['a default of the wrong type', short('inputs: { n: { type: number, default: many } }'), ['4:input/bad-default']],
  ['a pull request (not yet)', short('deliver: pr'), ['4:definition/not-yet']],
];

describe('a broken definition', () => {
  test.each(broken)('%s is an issue with its line', (_what, text, expected) => {
    const compiled = compileText({ text });
    const found = compiled.kind === 'plan' ? [] : compiled.issues;
    expect(found.filter((issue) => issue.severity === 'error').map((issue) => `${issue.line}:${issue.code}`)).toEqual(
      expected,
    );
    for (const issue of found) {
      expect(issue.column).toBeGreaterThan(0);
      expect(Object.keys(issueCodes)).toContain(issue.code);
      expect(issue.message.length).toBeGreaterThan(10);
    }
  });

  test('all issues come at once, those of the text and those of the graph, in the order of the text (A14)', () => {
    const text = long(
      '  b: { run: x, aftr: first, after: nobody }',
      '  c: { agent: codx, prompt: "{{inputs.x}}", loop: { to: d } }',
      '  d: { run: x, time: 5 }',
      'limits: { spend: 5 }',
    );
    const compiled = compileText({ text });
    expect(compiled.kind === 'issues' && compiled.issues.map((issue) => `${issue.line}:${issue.code}`)).toEqual([
      '3:definition/unknown-key',
      '3:step/unknown',
      '4:agent/unknown',
      '4:template/unknown-input',
      '4:loop/no-signal',
      '4:loop/not-upstream',
      '5:definition/bad-duration',
      '6:definition/bad-money',
    ]);
  });

  test('messages name the nearest known word', () => {
    const messages = (text: string): string[] => {
      const compiled = compileText({ text });
      return compiled.kind === 'plan' ? [] : compiled.issues.map((issue) => issue.message);
    };
    expect(messages(short('chekcs: [x]'))).toEqual(['unknown key `chekcs`; did you mean `checks`?']);
    expect(messages(long('  b: { run: x, after: frist }'))).toEqual([
      'there is no step `frist`; did you mean `first`?',
    ]);
    expect(messages('task: x\nagent: claud\nchecks: [a]')).toEqual([
      'there is no agent `claud`; did you mean `claude`?',
    ]);
    expect(messages(long('  b: { run: x, pass: "(" }'))[0]).toMatch(/^Step "b": invalid regex/);
  });

  test('a cycle is named', () => {
    const compiled = compileText({ text: long('  b: { run: x, after: c }', '  c: { run: x, after: b }') });
    expect(compiled.kind === 'issues' && compiled.issues[0]?.message).toContain('`b` after `c` after `b`');
  });
});

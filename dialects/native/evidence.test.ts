import { describe, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { compileText } from '#dialects/parse.ts';

const short = (check: string, agent = 'codex'): string => `task: Do it\nagent: ${agent}\nchecks:\n  - ${check}`;

function planOf(text: string): Plan | undefined {
  const compiled = compileText({ text });
  if (compiled.kind === 'issues') expect(compiled.issues).toEqual([]);
  return compiled.kind === 'plan' ? compiled.plan : undefined;
}

function issuesOf(text: string): string[] {
  const compiled = compileText({ text });
  return compiled.kind === 'plan' ? [] : compiled.issues.map(({ code, path }) => `${path}: ${code}`);
}

describe('evidence and provide', () => {
  test.each([
    ['">=1"', 1],
    ["'>= 20'", 20],
    ['3', 3],
  ])('B9: `tests: %s` is at least so many', (written, tests) => {
    const plan = planOf(short(`{ run: npm test, evidence: { tests: ${written}, file: out/junit.xml } }`));
    expect(plan?.steps[0]?.checks[0]).toMatchObject({ evidence: { tests, file: 'out/junit.xml' } });
  });

  test('B3: lent folders are named once, without what says nothing', () => {
    const plan = planOf(short('{ run: npm test, where: commit, provide: [./node_modules/, node_modules, .env] }'));
    expect(plan?.steps[0]?.checks[0]).toMatchObject({ where: 'commit', provide: ['node_modules', '.env'] });
  });

  const at = 'checks.0';
  test.each([
    ['no number', '{ run: x, evidence: { tests: many } }', [`${at}.evidence.tests: definition/wrong-type`]],
    ['none at all', '{ run: x, evidence: { tests: 0 } }', [`${at}.evidence.tests: definition/wrong-type`]],
    ['another comparison', '{ run: x, evidence: { tests: "<3" } }', [`${at}.evidence.tests: definition/wrong-type`]],
    ['nothing wanted', '{ run: x, evidence: { file: a.xml } }', [`${at}.evidence.tests: definition/missing`]],
    [
      'a file elsewhere',
      '{ run: x, evidence: { tests: 1, file: ../a.xml } }',
      [`${at}.evidence.file: workspace/bad-path`],
    ],
    ['no command', '{ match: { pass: ok }, evidence: { tests: 1 } }', [`${at}.evidence: definition/conflict`]],
    ['no clean checkout', '{ run: x, provide: [node_modules] }', [`${at}.provide: definition/conflict`]],
    ['a folder elsewhere', '{ run: x, where: commit, provide: [/etc] }', [`${at}.provide.0: workspace/bad-path`]],
  ])('B3, B9, A14: %s is an issue', (_what, check, issues) => {
    expect(issuesOf(short(check))).toEqual(issues);
  });
});

describe('H2: quiet', () => {
  const quietOf = (agent: string) => {
    const work = planOf(short('npm test', agent))?.steps[0]?.work;
    return work?.kind === 'agent' ? work.agent.quietSeconds : 'no agent';
  };

  test('H2: agents have 15 minutes unless they say otherwise, and `none` is no limit', () => {
    expect(quietOf('codex')).toBe(900);
    expect(quietOf('{ name: codex, quiet: 10m }')).toBe(600);
    expect(quietOf('{ name: codex, quiet: none }')).toBeUndefined();
  });
});

import { expect, test } from 'vitest';

import { argumentProblem } from '#core/agent/reserved-arguments.ts';
import { compile } from '#core/plan/compile.ts';

test.each([
  ['codex', ['--json'], 'remove it'],
  ['codex', ['--sandbox', 'danger-full-access'], 'readOnly'],
  ['codex', ['-sdanger-full-access'], 'readOnly'],
  ['codex', ['-c', 'sandbox_mode="danger-full-access"'], 'readOnly'],
  ['codex', ['--config=approval_policy=never'], 'readOnly'],
  ['codex', ['-cshell_environment_policy.inherit=all'], 'readOnly'],
  ['codex', ['resume'], 'session: resume'],
  ['claude', ['--max-turns=3', '--output-format=json'], 'remove it'],
  ['claude', ['--dangerously-skip-permissions'], 'readOnly'],
  ['claude', ['--model', 'x'], '`model`'],
  ['claude', ['--continue'], 'session: resume'],
  ['opencode', ['--format', 'default'], 'remove it'],
  ['pi', ['--tools', 'bash'], 'readOnly'],
  ['cursor', ['--api-key=abc'], 'secrets'],
  ['gemini', ['--yolo'], 'readOnly'],
  ['copilot', ['--allow-tool=shell'], 'readOnly'],
  ['goose', ['--text', 'x'], 'prompt'],
  ['aider', ['--message', 'x'], 'prompt'],
  ['amp', ['--dangerously-allow-all'], 'readOnly'],
  ['claude', ['--', 'another prompt'], 'prompt'],
] as const)('T-02: %s %j is refused with the remedy', (agent, args, remedy) => {
  expect(argumentProblem(agent, args)).toContain(remedy);
});

test('T-02: what only resembles such an argument is given', () => {
  expect(
    argumentProblem('codex', ['--search', '-c', 'tools.web_search=true', '--skip-git-repo-check']),
  ).toBeUndefined();
  expect(
    argumentProblem('claude', ['--max-turns=3', '--allowedTools=Bash(npm test)', '--mcp-config=a.json']),
  ).toBeUndefined();
  expect(argumentProblem('pi', ['--no-extensions', '--provider', 'openai'])).toBeUndefined();
});

test('T-02: the definition is refused before anything starts, and `auto` has no arguments', () => {
  const issuesOf = (name: string, args: string[]) => {
    const work = { kind: 'agent' as const, agent: { name, args }, prompt: 'Do it.' };
    const compiled = compile({ steps: [{ id: 'a', after: [], checks: [], work }], limits: { timeSeconds: 60 } });
    return compiled.kind === 'plan' ? [] : compiled.issues.map(({ path, code }) => `${path} ${code}`);
  };
  expect(issuesOf('codex', ['--json'])).toEqual(['steps.a.agent.args definition/conflict']);
  expect(issuesOf('auto', ['--search'])).toEqual(['steps.a.agent.args definition/conflict']);
  expect(issuesOf('codex', ['--search'])).toEqual([]);
});

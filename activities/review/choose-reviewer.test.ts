import { expect, test } from 'vitest';
import type { ProbedAgent } from '#activities/agents/probe.ts';
import { preferOther } from '#activities/review/choose-reviewer.ts';

const probed = (name: ProbedAgent['name'], signedIn: ProbedAgent['signedIn'], installed = true): ProbedAgent => {
  return { name, installed, signedIn };
};
const chosen = (agents: ProbedAgent[], implementer?: string) => preferOther(agents, implementer).name;

test('B5: auto prefers an agent of another provider than the implementer, if it is signed in', () => {
  const both = [probed('codex', 'yes'), probed('claude', 'yes')];
  expect(chosen(both, 'codex')).toBe('claude');
  expect(chosen(both, 'claude')).toBe('codex');
  expect(chosen(both)).toBe('codex');
  expect(chosen([probed('codex', 'yes'), probed('claude', 'no')], 'codex')).toBe('codex');
  expect(chosen([probed('codex', 'yes'), probed('claude', 'yes', false)], 'codex')).toBe('codex');
  expect(chosen([probed('codex', 'yes'), probed('claude', 'unknown')], 'codex')).toBe('codex');
  expect(chosen([probed('codex', 'no'), probed('claude', 'unknown')], 'codex')).toBe('claude');
});

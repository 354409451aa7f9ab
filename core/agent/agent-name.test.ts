import { expect, test } from 'vitest';
import { installedAgentNames, isAgentName } from '#core/agent/agent-name.ts';

test('`auto` tries only agents that are programs of their own, Codex first', () => {
  expect(installedAgentNames).toEqual([
    'codex',
    'claude',
    'opencode',
    'pi',
    'cursor',
    'gemini',
    'copilot',
    'amp',
    'goose',
    'aider',
  ]);
});

test('`auto` itself is no agent', () => {
  expect(isAgentName('auto')).toBe(false);
  expect(isAgentName('scripted')).toBe(true);
});

import type { AgentName } from '#core/agent/agent-name.ts';
import type { AgentAdapter } from '#activities/agents/adapter.ts';
import { claude } from '#activities/agents/claude/claude.ts';
import { codex } from '#activities/agents/codex/codex.ts';
import { copilot } from '#activities/agents/copilot/copilot.ts';
import { cursor } from '#activities/agents/cursor/cursor.ts';
import { custom } from '#activities/agents/custom.ts';
import { gemini } from '#activities/agents/gemini/gemini.ts';
import { opencode } from '#activities/agents/opencode/opencode.ts';
import { pi } from '#activities/agents/pi/pi.ts';
import { scripted } from '#activities/agents/scripted.ts';
import { aider, amp, goose } from '#activities/agents/text-harnesses.ts';

/** A name without an adapter does not compile. */
export type AgentRegistry = { readonly [Name in AgentName]: AgentAdapter };

export const agents: AgentRegistry = {
  codex,
  claude,
  opencode,
  pi,
  cursor,
  gemini,
  copilot,
  amp,
  goose,
  aider,
  custom,
  scripted,
};

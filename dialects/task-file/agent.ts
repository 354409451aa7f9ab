import type { AgentDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { Field } from '#dialects/source/reading.ts';
import { listOf, mapping, optional } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';

export const provider = word(['codex', 'opencode', 'claude', 'pi', 'cursor']);

const accesses = word(['workspace-write', 'read-only', 'danger-full-access']);

const uncontained =
  '`danger-full-access` is not run by Setpoint: what contains an agent is a setting of the host (`SETPOINT_SANDBOX`, see the guide to the sandbox), no matter of a task file; write `workspace-write`';

const access: Field<'workspace-write' | 'read-only'> = (node, path, reading) => {
  const read = accesses(node, path, reading);
  if (read !== 'danger-full-access') return read;
  reading.report(path, 'dialect/not-run', uncontained);
  return undefined;
};

const shape = {
  sandbox: optional(access),
  model: optional(text),
  extraArgs: optional(listOf(text, 'a list of arguments')),
} as const;

const agentMapping = mapping({ provider: optional(provider), ...shape });
/** T-21: the older form, of the one provider there was. */
const codexMapping = mapping(shape);

/** Who works, and with which access to the workspace. */
export interface Agent {
  agent: AgentDefinition;
  readOnly: boolean;
}

/** `{provider, sandbox, model, extraArgs}`, each with its default (T-02). */
export const agent: Field<Agent> = (node, path, reading) => agentOf(agentMapping(node, path, reading) ?? {});

export const codex: Field<Agent> = (node, path, reading) => agentOf(codexMapping(node, path, reading) ?? {});

export function agentOf(read: NonNullable<ReturnType<typeof agentMapping>>): Agent {
  const { provider: name = 'codex', sandbox, model, extraArgs = [] } = read;
  const args = extraArgs.length === 0 ? undefined : extraArgs;
  return { agent: { name, ...present({ model, args }) }, readOnly: sandbox === 'read-only' };
}

/** A file says who works in one of the two ways. */
export const twoAgents = '`agent` and the older `codex` are both written; keep `agent`';

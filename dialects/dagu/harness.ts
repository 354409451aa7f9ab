import { agentNames, isAgentName } from '#core/agent/agent-name.ts';
import type { AgentDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import type { HarnessDefinition } from '#dialects/dagu/harness-definitions.ts';
import { otherProviders } from '#dialects/dagu/harness-definitions.ts';
import { effortAmong } from '#dialects/dagu/harness-effort.ts';
import { flagsOf } from '#dialects/dagu/harness-flags.ts';
import { has, mappingOf } from '#dialects/dagu/keys.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { refersToValue, written } from '#dialects/dagu/values.ts';
import type { SourceEntry, SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { below, lastKey, listOf } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

/** `action: harness.run` as it is written. */
export interface HarnessWritten {
  agent: AgentDefinition;
  prompt: Written;
  /** Further text for the agent. */
  stdin?: Written;
  readOnly: boolean;
}

/** What the whole file says of its agents. */
export interface Harnesses {
  defaults?: SourceNode;
  definitions: Readonly<Record<string, HarnessDefinition>>;
}

interface Flag extends SourceEntry {
  path: string;
}

const fallback: Field<string> = (node, path, reading) => {
  const others: string[] = [];
  const read = mappingOf({ shape: { provider: text }, others: (key) => others.push(key) })(node, path, reading);
  if (read?.provider === undefined) {
    if (!has(node, 'provider')) reading.report(path, 'definition/missing', 'a fallback needs a `provider`');
    return undefined;
  }
  for (const key of others) {
    const why = `a fallback starts with the defaults of its CLI; \`${read.provider}\` is told no more than the prompt`;
    reading.warn(below(path, key), 'dialect/no-effect', `\`${key}\` has no effect: ${why}`);
  }
  return read.provider;
};

/** `with` of `harness.run`, over the defaults of the file. */
export function harness(harnesses: Harnesses): Field<HarnessWritten> {
  return (node, path, reading) => {
    const flags: Flag[] = [];
    const all = withDefaults(node, harnesses.defaults);
    const read = mappingOf({
      shape: {
        prompt: written,
        stdin: written,
        provider: text,
        model: text,
        effort: text,
        fallback: listOf(fallback, 'a list such as `[{provider: claude}]`'),
        sandbox: text,
      },
      aside: ['managed'],
      others: (key, value, at) => flags.push({ key, value, path: at }),
    })(all, path, reading);
    if (read === undefined) return undefined;
    for (const [key, what] of [
      ['provider', 'the agent, such as `codex`'],
      ['prompt', 'what the agent is asked'],
    ] as const) {
      if (!has(all, key)) reading.report(path, 'definition/missing', `\`harness.run\` needs \`${key}\`: ${what}`);
    }
    const { provider, prompt, stdin, model, sandbox } = read;
    if (provider === undefined || prompt === undefined) return undefined;
    const own = harnesses.definitions[provider] ?? (isAgentName(provider) ? undefined : otherProviders[provider]);
    if (!isKnown(provider, own, path, harnesses, reading)) return undefined;
    const told = flags.filter((flag) => !isPlanMode(provider, flag));
    const flagged = flagsOf(told, { provider, definition: own, path }, reading);
    const { effort, args } = effortAmong(flagged, { provider, definition: own, given: read.effort });
    for (const [key, value] of Object.entries({ model, effort })) requireFixed(value, below(path, key), reading);
    const mode = modeOf({ provider, sandbox, flags, path }, reading);
    const further = [...(mode.flag === undefined ? [] : ['--sandbox', mode.flag]), ...args];
    const more = present({ model, effort, fallback: read.fallback });
    const agent = own === undefined ? installed(provider, further, more) : custom(own, further, more);
    return { agent, prompt, ...present({ stdin }), readOnly: mode.readOnly };
  };
}

/** Dagu counts no progress, so nothing but a time limit ends an agent (H2). */
function installed(
  name: string,
  args: string[],
  more: Pick<AgentDefinition, 'model' | 'effort' | 'fallback'>,
): AgentDefinition {
  return { name, ...more, ...(args.length === 0 ? {} : { args }), quietSeconds: null };
}

function custom(
  definition: HarnessDefinition,
  args: string[],
  { model, effort, fallback: names }: Pick<AgentDefinition, 'model' | 'effort' | 'fallback'>,
): AgentDefinition {
  const option = (key: string, value: string | undefined): string[] =>
    value === undefined ? [] : [definition.optionFlags[key] ?? `--${key}`, value];
  const { command, promptFlag, prompt } = definition;
  const last = promptFlag === undefined ? [] : [promptFlag];
  const words = [...command, ...option('model', model), ...option('effort', effort), ...args, ...last];
  return { name: 'custom', custom: { command: words, prompt }, ...present({ fallback: names }), quietSeconds: null };
}

// Which provider, what is known of it, and where to say so.
// oxlint-disable-next-line max-params
function isKnown(
  provider: string,
  own: HarnessDefinition | undefined,
  path: string,
  { definitions }: Harnesses,
  reading: Reading,
): boolean {
  const at = below(path, 'provider');
  if (/[$`]/.test(provider)) {
    const message = `\`provider: ${provider.slice(0, 80)}\`: which agent works is fixed in the file; write its name, and choose another with \`setpoint run --agent NAME\``;
    reading.report(at, 'dialect/not-run', message);
    return false;
  }
  if (own !== undefined || (isAgentName(provider) && provider !== 'custom' && provider !== 'scripted')) return true;
  const names = [
    ...agentNames.filter((name) => name !== 'custom' && name !== 'scripted'),
    ...Object.keys(otherProviders),
  ];
  const known = [...names, ...Object.keys(definitions)];
  const hint = didYouMean(provider, known) || `; known are ${known.join(', ')}, or define it under \`harnesses\``;
  reading.report(at, 'agent/unknown', `there is no provider \`${provider.slice(0, 80)}\`${hint}`);
  return false;
}

interface ModeOf {
  provider: string;
  sandbox: string | undefined;
  flags: readonly Flag[];
  path: string;
}

/** Codex's `sandbox` and Claude's plan mode say whether the agent may write; any other `sandbox` is a flag of its CLI. */
function modeOf({ provider, sandbox, flags, path }: ModeOf, reading: Reading): { readOnly: boolean; flag?: string } {
  if (flags.some((flag) => isPlanMode(provider, flag))) return { readOnly: true };
  if (sandbox === undefined) return { readOnly: false };
  if (provider !== 'codex') return { readOnly: false, flag: sandbox };
  if (sandbox === 'read-only') return { readOnly: true };
  if (sandbox === 'workspace-write') return { readOnly: false };
  const known = ['read-only', 'workspace-write'];
  const message =
    sandbox === 'danger-full-access'
      ? '`sandbox: danger-full-access` is not run by Setpoint; an agent works within the sandbox of the host: write `workspace-write`'
      : `\`sandbox\` is one of \`read-only\`, \`workspace-write\`, not \`${sandbox.slice(0, 80)}\`${didYouMean(sandbox, known)}`;
  const code = sandbox === 'danger-full-access' ? 'dialect/not-run' : 'definition/unknown-value';
  reading.report(below(path, 'sandbox'), code, message);
  return { readOnly: false };
}

function isPlanMode(provider: string, { key, value }: Flag): boolean {
  if (provider !== 'claude' || key.replaceAll('_', '-') !== 'permission-mode') return false;
  return value.kind === 'scalar' && value.text === 'plan';
}

function requireFixed(value: string | undefined, path: string, reading: Reading): void {
  if (value === undefined || !refersToValue(value)) return;
  const message = `\`${lastKey(path)}\` of an agent is fixed in the file; write it in place of the reference`;
  reading.report(path, 'dialect/not-run', message);
}

/** What a step says wins over what the file says for all. */
function withDefaults(node: SourceNode, defaults: SourceNode | undefined): SourceNode {
  if (node.kind !== 'map' || defaults?.kind !== 'map') return node;
  const own = new Set(node.entries.map(({ key }) => key.replaceAll('-', '_')));
  const inherited = defaults.entries.filter(({ key }) => !own.has(key.replaceAll('-', '_')));
  return { ...node, entries: [...node.entries, ...inherited] };
}

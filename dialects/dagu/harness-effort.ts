import type { HarnessDefinition } from '#dialects/dagu/harness-definitions.ts';

/** Flags by which a CLI is told how hard to think, for those that Dagu's users give them to. */
const effortFlags: Readonly<Record<string, string>> = { opencode: '--variant', pi: '--thinking' };
const effortSetting = /^model_reasoning_effort="?(\w+)"?$/;

/** The effort, which is no argument here: as it is given, or from among the arguments of a CLI that is known. */
export function effortAmong(
  args: string[],
  {
    provider,
    definition,
    given,
  }: { provider: string; definition: HarnessDefinition | undefined; given: string | undefined },
): { effort: string | undefined; args: string[] } {
  const at = args.findIndex((argument, index) => valueAt(provider, argument, args[index + 1]) !== undefined);
  if (definition !== undefined || at === -1) return { effort: given, args };
  const effort = valueAt(provider, args[at] ?? '', args[at + 1]);
  return { effort, args: [...args.slice(0, at), ...args.slice(at + 2)] };
}

function valueAt(provider: string, flag: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (flag === effortFlags[provider]) return value;
  return provider === 'codex' && (flag === '--config' || flag === '-c') ? effortSetting.exec(value)?.[1] : undefined;
}

import type { HarnessDefinition } from '#dialects/dagu/harness-definitions.ts';
import { refersToValue } from '#dialects/dagu/values.ts';
import type { SourceEntry } from '#dialects/source/node.ts';
import type { Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';

/** What our adapters give each CLI anyway, or have their own way for. */
const givenHere: Readonly<Record<string, readonly string[]>> = {
  codex: ['full-auto', 'yolo', 'skip-git-repo-check', 'json', 'cd', 'dangerously-bypass-approvals-and-sandbox'],
  claude: ['dangerously-skip-permissions', 'permission-mode', 'output-format', 'verbose', 'print'],
  copilot: ['allow-all-tools', 'yolo', 'autopilot', 'silent', 'no-ask-user', 'no-auto-update', 'output-format'],
  cursor: ['output-format', 'force', 'print', 'sandbox'],
  gemini: ['yolo', 'approval-mode', 'output-format'],
  opencode: ['format', 'dir', 'auto'],
  pi: ['mode'],
  goose: ['quiet', 'no-session', 'text'],
  amp: ['dangerously-allow-all', 'execute'],
  aider: ['yes-always', 'no-auto-commits', 'message'],
};

interface Flag extends SourceEntry {
  path: string;
}

/** Dagu's rule for further keys of `with`: `max_turns: 20` is `--max-turns 20`, `true` the flag alone, `false` nothing. */
export function flagsOf(
  entries: readonly Flag[],
  of: { provider: string; definition: HarnessDefinition | undefined; path: string },
  reading: Reading,
): string[] {
  return entries.flatMap(({ key, keyAt, value, path }) => {
    const name = of.definition === undefined ? key.replaceAll('_', '-') : key;
    if (of.definition === undefined && givenHere[of.provider]?.includes(name) === true) {
      const why = `${of.provider} is started so that it works by itself, within the sandbox of the host`;
      reading.warn(below(of.path, key), 'dialect/no-effect', `\`${key}\` has no effect: ${why}`, keyAt);
      return [];
    }
    const flag = flagName(name, of.definition);
    if (value.kind === 'scalar' && refersToValue(value.text)) {
      const message = `\`${key}\` is an argument of the CLI that is fixed in the file; write its value`;
      reading.report(below(of.path, key), 'dialect/not-run', message, keyAt);
    }
    if (value.kind === 'scalar') return flagWith(flag, value.text, value.value);
    if (value.kind === 'list' && value.items.every((item) => item.kind === 'scalar')) {
      return value.items.flatMap((item) => (item.kind === 'scalar' ? flagWith(flag, item.text, item.value) : []));
    }
    reading.reportType(value, path, 'a value for a flag of the CLI, or a list of them');
    return [];
  });
}

function flagName(key: string, definition: HarnessDefinition | undefined): string {
  const own = definition?.optionFlags[key];
  if (own !== undefined) return own;
  return definition?.flagStyle === 'single_dash' ? `-${key}` : `--${key}`;
}

function flagWith(flag: string, text: string, value: string | number | boolean | null): string[] {
  // As by Dagu, an empty text is no flag.
  if (value === null || value === false || text === '') return [];
  return value === true ? [flag] : [flag, text];
}

import { createApiClient } from '#cli/client/api-client.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';
import type { Terminal, Tone } from '#cli/terminal.ts';

/** `setpoint diff RUN [--pass N]`: from the base to the last snapshot, or to that of pass N; a patch that git applies. */
export async function diffCommand(
  context: CliContext,
  runId: string,
  flags: GlobalFlags & { pass?: number },
): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  const diff = await client.diff(runId, flags.pass);
  if (diff === '') context.terminal.err('No difference from the base.');
  else context.terminal.raw(context.terminal.interactive ? coloured(diff, context.terminal.paint) : diff);
  return exitCodes.succeeded;
}

function coloured(diff: string, paint: Terminal['paint']): string {
  return diff
    .split('\n')
    .map((line) => paint(toneOf(line), line))
    .join('\n');
}

function toneOf(line: string): Tone {
  if (/^(diff |index |\+\+\+ |--- )/.test(line)) return 'strong';
  if (line.startsWith('+')) return 'good';
  if (line.startsWith('-')) return 'bad';
  return line.startsWith('@@') ? 'dim' : 'plain';
}

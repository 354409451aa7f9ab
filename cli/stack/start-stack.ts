import type { CliContext } from '#cli/context.ts';
import { embeddedAddress, type ServerAddress } from '#cli/stack/server-address.ts';
import { askStack } from '#cli/stack/stack-process.ts';
import type { Settings } from '#cli/settings.ts';

/**
 * Starts the embedded stack of `settings.home` (or finds it running) and says so on stderr, with how to stop it.
 * Throws with exit code 5 when it cannot be started.
 */
export async function startStack(
  context: CliContext,
  settings: Settings,
  options: { quiet: boolean },
): Promise<ServerAddress> {
  const say = (line: string): void => {
    if (!options.quiet) context.terminal.err(line);
  };
  say(`No Setpoint server answers: starting the embedded stack, its data are in ${settings.home}`);
  const onProgress = (message: string): void => say(`  ${message}`);
  const ready = await askStack(context, 'up', { home: settings.home, onProgress });
  say(`The embedded stack is ready at ${ready.url}. It keeps running; \`setpoint down\` stops it.`);
  return embeddedAddress(settings, ready.url, ready.tokenFile);
}

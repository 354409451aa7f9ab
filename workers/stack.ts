import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { StackFault, type StackMessage } from '#core/contract/stack.ts';
import { describeConfig, hostEnvironment, loadConfig } from '#infra/config.ts';
import { startStack, stopStack } from '#infra/stack/stack-control.ts';
import { isUp, readStack, seenProcesses } from '#infra/stack/stack-file.ts';

const supervisorEntry = fileURLToPath(new URL('./supervisor.js', import.meta.url));

/**
 * `node dist/workers/stack.js up|down|status --home HOME [--config] [--programs FILE]`: the embedded stack for clients
 * that load none of it, such as the command line. One `StackMessage` of `core/contract/stack.ts` a line on stdout.
 * Exit codes: 0 done; 2 usage; 5 the stack could not be started or ended (the last line is the error).
 */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      home: { type: 'string' },
      json: { type: 'boolean' },
      config: { type: 'boolean' },
      programs: { type: 'string' },
    },
  });
  const environment = { ...hostEnvironment(), ...(values.home && { SETPOINT_HOME: resolve(values.home) }) };
  const { home } = loadConfig(environment, process.cwd());
  const [command = ''] = positionals;
  switch (command) {
    case 'up':
      return up(home, environment, values.programs);
    case 'down':
      await stopStack(home);
      return say({ event: 'stopped', home });
    case 'status':
      if (values.config) say({ event: 'settings', settings: describeConfig(environment, process.cwd()) });
      return status(home);
    default:
      say({ event: 'error', code: 'stack/usage', message: 'Usage: stack up|down|status [--home HOME] [--config]' });
      return 2;
  }
}

async function up(home: string, env: Record<string, string>, programs: string | undefined): Promise<number> {
  const stack = await startStack(home, {
    supervisor: [
      process.execPath,
      supervisorEntry,
      ...(programs === undefined ? [] : ['--programs', resolve(programs)]),
    ],
    env,
    onProgress: (message) => say({ event: 'progress', message }),
  });
  return say({ event: 'ready', url: stack.url, home, tokenFile: stack.tokenFile });
}

function status(home: string): number {
  const stack = readStack(home);
  return say({ event: 'status', up: isUp(stack), url: stack?.url ?? null, home, processes: seenProcesses(stack) });
}

function say(message: StackMessage): 0 {
  process.stdout.write(`${JSON.stringify(message)}\n`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  // Unknown options come as errors of parseArgs, with a code of Node's.
  const isUsage = error instanceof TypeError && 'code' in error;
  const code = error instanceof StackFault ? error.code : isUsage ? 'stack/usage' : 'stack/not-ready';
  say({ event: 'error', code, message: error instanceof Error ? error.message : String(error) });
  process.exitCode = isUsage ? 2 : 5;
}

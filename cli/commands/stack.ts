import { setTimeout as delay } from 'node:timers/promises';

import type { StackMessage } from '#core/contract/stack.ts';

import { callsOf } from '#cli/client/server-calls.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { tableLines } from '#cli/render/table.ts';
import { type GlobalFlags, type Settings, settingsOf } from '#cli/settings.ts';
import { type ServerAddress, serverAddress } from '#cli/stack/server-address.ts';
import { askStack } from '#cli/stack/stack-process.ts';

type StackStatus = Omit<Extract<StackMessage, { event: 'status' }>, 'event'>;

/**
 * `setpoint up [--detach]`: starts the embedded stack. Without `--detach` it stays, and Ctrl-C stops the stack; it ends
 * by itself when the stack is stopped elsewhere.
 */
export async function upCommand(context: CliContext, flags: GlobalFlags & { detach?: boolean }): Promise<ExitCode> {
  const { home } = settingsOf({}, context.environment, context.cwd);
  const leave = new AbortController();
  const stopListening = flags.detach === true ? () => undefined : context.interrupts.listen(() => leave.abort());
  try {
    const onProgress = (message: string): void => context.terminal.err(message);
    const ready = await askStack(context, 'up', { home, onProgress }).catch(async (error: unknown) => {
      // A terminal's Ctrl-C also ends the program that was starting the stack, and may leave it half started.
      if (leave.signal.aborted) await askStack(context, 'down', { home, onProgress });
      throw error;
    });
    context.terminal.out(`Setpoint is ready at ${ready.url}, its data are in ${home}`);
    if (flags.detach === true) {
      context.terminal.err('It keeps running; `setpoint down` stops it.');
      return exitCodes.succeeded;
    }
    context.terminal.err('Ctrl-C stops it; its runs go on when it is started again.');
    await untilGone(ready.url, leave.signal);
    if (leave.signal.aborted) await askStack(context, 'down', { home, onProgress });
    context.terminal.err('The stack is stopped.');
    return exitCodes.succeeded;
  } finally {
    stopListening();
  }
}

const watchEveryMs = 2_000;
const failuresInARow = 5;

/** Ends when `signal` aborts, or when the API did not answer several times in a row (a restart of it is shorter). */
async function untilGone(url: string, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted && failures < failuresInARow) {
    await delay(watchEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const answers = await fetch(`${url}/healthz`, { signal }).then(
      (response) => response.ok,
      () => false,
    );
    failures = answers ? 0 : failures + 1;
  }
}

/** `setpoint down`: stops the embedded stack; its data stay. Exit 0 also when it was not running. */
export async function downCommand(context: CliContext): Promise<ExitCode> {
  const { home } = settingsOf({}, context.environment, context.cwd);
  await askStack(context, 'down', { home, onProgress: (message) => context.terminal.err(message) });
  if ((await serverAddress({ home })) === undefined) {
    context.terminal.out(`no stack was ever started here (${home})`);
    return exitCodes.succeeded;
  }
  context.terminal.out(`The stack in ${home} is stopped; its runs go on after \`setpoint up\`.`);
  return exitCodes.succeeded;
}

export interface StatusFlags extends GlobalFlags {
  json?: boolean;
  config?: boolean;
}

/** `setpoint status`: the stack's processes, or the server that is set. Exit 0 when it is up, 5 when it is not. */
export async function statusCommand(context: CliContext, flags: StatusFlags): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  if (flags.config === true) return showSettings(context, settings, flags.json ?? false);
  const status = settings.server === undefined ? await embeddedStatus(context, settings) : await serverStatus(settings);
  const { url, home, processes } = status;
  if (flags.json === true) context.terminal.out(JSON.stringify({ url, home, processes }));
  else for (const line of statusLines(status)) context.terminal.out(line);
  return status.up ? exitCodes.succeeded : exitCodes.infrastructure;
}

async function embeddedStatus(context: CliContext, settings: Settings): Promise<StackStatus> {
  return askStack(context, 'status', { home: settings.home });
}

async function serverStatus(settings: Settings): Promise<StackStatus> {
  const address = await serverAddress(settings);
  if (address !== undefined) await requireReady(address);
  return { up: true, url: settings.server ?? null, home: settings.home, processes: [] };
}

async function requireReady(address: ServerAddress): Promise<void> {
  const { http, told } = callsOf(address);
  await told(http.GET('/readyz'));
}

function statusLines(status: StackStatus): string[] {
  const head = headOf(status);
  if (status.processes.length === 0) return [head];
  const rows = status.processes.map(({ role, pid, state, since }) => [role, String(pid ?? '-'), state, since]);
  return [head, `data in ${status.home}`, ...tableLines([['ROLE', 'PID', 'STATE', 'SINCE'], ...rows])];
}

function headOf({ up, url, processes }: StackStatus): string {
  if (up) return `up at ${url}`;
  const living = processes.filter(({ pid, state }) => pid !== null && state !== 'gone');
  if (living.length === 0) return 'not running; `setpoint up` starts it';
  if (living.some(({ role }) => role === 'supervisor')) {
    const late = processes.filter(({ state }) => state !== 'running' && state !== 'external');
    return `not ready: ${late.map(({ role, state }) => `${role} is ${state}`).join(', ')}`;
  }
  const left =
    living.length === 1
      ? '1 process is left; `setpoint up` takes it over'
      : `${living.length} processes are left; \`setpoint up\` takes them over`;
  return `the supervisor is gone, ${left}`;
}

async function showSettings(context: CliContext, settings: Settings, json: boolean): Promise<ExitCode> {
  const { settings: shown } = await askStack(context, 'config', { home: settings.home });
  if (json) context.terminal.out(JSON.stringify(shown));
  else
    for (const line of tableLines(shown.map(({ name, value, source }) => [name, value, source])))
      context.terminal.out(line);
  return exitCodes.succeeded;
}

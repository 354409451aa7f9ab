import type { Program } from '#core/doctor/shell/program.ts';

/** What a program is for, as far as its words tell. Cost counts from 1: what a person would run first. */
export type ProgramKind = 'static' | 'tests' | 'slow';

const staticTools: ReadonlySet<string> = new Set([
  'actionlint',
  'biome',
  'black',
  'check-jsonschema',
  'clippy',
  'eslint',
  'flake8',
  'gofmt',
  'golangci-lint',
  'hadolint',
  'markdownlint',
  'mypy',
  'oxlint',
  'prettier',
  'pylint',
  'pyright',
  'rubocop',
  'ruff',
  'rustfmt',
  'shellcheck',
  'staticcheck',
  'stylelint',
  'tsc',
  'vale',
  'yamllint',
]);
const testTools: ReadonlySet<string> = new Set([
  'ava',
  'bats',
  'ctest',
  'jest',
  'mocha',
  'nox',
  'phpunit',
  'prove',
  'pytest',
  'rspec',
  'tap',
  'tox',
  'vitest',
]);
const slowTools: ReadonlySet<string> = new Set(['cypress', 'playwright', 'k6', 'lighthouse', 'lhci', 'stryker']);
const packageManagers: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const taskRunners: ReadonlySet<string> = new Set([
  ...packageManagers,
  'make',
  'just',
  'task',
  'rake',
  'composer',
  'deno',
  'cargo',
  'go',
  'mvn',
  'gradle',
  'dotnet',
  'mix',
  'swift',
  'bazel',
]);

/** The name after its folders: `vitest` of `node_modules/.bin/vitest`, `gradle` of `./gradlew`. */
export function baseName(name: string): string {
  const base = name.split('/').at(-1) ?? name;
  return base === 'gradlew' || base === 'mvnw' ? base.slice(0, -1) : base;
}

/** Undefined for a program that judges nothing that can be told from its words. */
export function kindOf({ name, args }: Program): ProgramKind | undefined {
  const base = baseName(name);
  if (slowTools.has(base)) return 'slow';
  if (testTools.has(base)) return args.some((arg) => /e2e|integration/i.test(arg)) ? 'slow' : 'tests';
  if (staticTools.has(base)) return 'static';
  if (base === 'terraform') return args[0] === 'validate' || args[0] === 'fmt' ? 'static' : undefined;
  if (taskRunners.has(base)) return kindOfTask(args);
  return undefined;
}

function kindOfTask(args: readonly string[]): ProgramKind | undefined {
  const tasks = args.filter((arg) => !arg.startsWith('-') && arg !== 'run').slice(0, 3);
  const kinds = tasks.map(kindOfWord);
  return kinds.find((kind) => kind !== undefined);
}

function kindOfWord(word: string): ProgramKind | undefined {
  if (/e2e|end-to-end|integration|acceptance|smoke|bench|load-test|playwright|cypress/i.test(word)) return 'slow';
  if (/(^|[:_-])(tests?|t|spec|check|verify|ci|cover(age)?|unit)($|[:_-])/i.test(word)) return 'tests';
  if (/(^|[:_-])(lint|typecheck|types|tsc|vet|clippy|fmt|format|validate|audit)($|[:_-])/i.test(word)) return 'static';
  return undefined;
}

/** A program of the repository itself: its file, from the top of the workspace. */
export function scriptOf({ name, args }: Program): string | undefined {
  if (isOwnFile(name)) return plainPath(name);
  if (!interpreters.has(baseName(name)) && !/^python[\d.]*$/.test(name)) return undefined;
  const [first] = args.filter((arg) => arg !== 'run');
  if (first === undefined || first.startsWith('-') || !/[./]/.test(first)) return undefined;
  return isOutside(first) || isInstalled(first) ? undefined : plainPath(first);
}

const interpreters: ReadonlySet<string> = new Set([
  'bash',
  'bun',
  'dash',
  'deno',
  'node',
  'perl',
  'php',
  'python',
  'ruby',
  'sh',
  'source',
  'ts-node',
  'tsx',
  'zsh',
  '.',
]);

function isOwnFile(name: string): boolean {
  if (!name.includes('/') || isOutside(name) || isInstalled(name)) return false;
  return !/(^|\/)(gradlew|mvnw)$/.test(name);
}

/** Not below the workspace, or only the run knows where. */
function isOutside(path: string): boolean {
  return /^[/~$]|^\.\.\//.test(path) || /[$*?]/.test(path) || path.includes('setpoint_inserted_value');
}

/** What a tool has put there: it is not the project's own text. */
function isInstalled(path: string): boolean {
  return (
    /(^|\/)(node_modules|\.venv|venv|vendor|target|dist|build|bin)\//.test(plainPath(path)) &&
    !/\.(sh|py|rb|pl)$/.test(path)
  );
}

export function plainPath(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '');
}

export function isPackageManager(name: string): boolean {
  return packageManagers.has(name);
}

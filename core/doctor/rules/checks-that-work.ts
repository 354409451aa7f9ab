import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import { baseName, isPackageManager } from '#core/doctor/shell/kinds.ts';
import type { Program } from '#core/doctor/shell/program.ts';

/** A check that mends what it is to judge (B12). */
export const editsWork: Rule = {
  id: 'check/edits-work',
  severity: 'warning',
  missing: 'signal',
  title: 'The check changes the work that it judges.',
  why: 'What it mends it does not report, so it passes; its changes are rolled back, and the work stays as it was.',
  remedy:
    'Use the form that only tells: `prettier --check`, `eslint` without `--fix`, `cargo fmt --check`, no `-u` for snapshots.',
  example: {
    wrong:
      'task: Make it pass.\nagent: codex\nchecks:\n  - npx eslint --fix src\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
    right:
      'task: Make it pass.\nagent: codex\nchecks:\n  - npx eslint src\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
  },
  find: (facts) => facts.commands.filter(isCheck).flatMap((command) => found(command, editing, 'changes files')),
};

/** A check that no pass ever sees the end of. */
export const neverEnds: Rule = {
  id: 'check/never-ends',
  severity: 'warning',
  missing: 'signal',
  title: 'The check runs until it is stopped.',
  why: 'It ends only by its time limit, and that is a failure whatever the work is like.',
  remedy: 'Use the form that ends by itself: no `--watch`, a build or a request in place of a server.',
  example: {
    wrong:
      'task: Make it pass.\nagent: codex\nchecks:\n  - npx jest --watch\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
    right:
      'task: Make it pass.\nagent: codex\nchecks:\n  - npx jest\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
  },
  find: (facts) =>
    facts.commands.filter(isCheck).flatMap((command) => found(command, lasting, 'does not end by itself')),
};

/** Without `-f` a page that says "500" is a success. */
export const curlIgnoresStatus: Rule = {
  id: 'check/curl-ignores-status',
  severity: 'warning',
  missing: 'signal',
  title: '`curl` exits with 0 for an error page, too.',
  why: 'Only `-f` makes an answer of 400 and above a failure.',
  remedy: 'Write `curl -fsS …`.',
  example: {
    wrong: 'task: Make /health answer.\nagent: codex\nchecks:\n  - curl -s http://localhost:8080/health\n',
    right: 'task: Make /health answer.\nagent: codex\nchecks:\n  - curl -fsS http://localhost:8080/health\n',
  },
  find: (facts) => facts.commands.filter(isCheck).flatMap(curls),
};

/** A command step may well do such things; what judges may not. */
function isCheck({ role, byExit }: JudgedCommand): boolean {
  return byExit && (role === 'check' || role === 'repeat');
}

function found(
  { programs, script, path, step }: JudgedCommand,
  hits: (program: Program) => boolean,
  does: string,
): Found[] {
  if (script?.root.commands.some(({ background }) => background === true)) return [];
  const [hit] = programs.filter(hits);
  if (hit === undefined) return [];
  const words = [hit.name, ...hit.args].join(' ');
  const message = `\`${words.length > 60 ? `${words.slice(0, 59)}…` : words}\` ${does}`;
  return [{ path, message, ...loopOf(step) }];
}

const checkFlags = ['--check', '-c', '-check', '--diff', '--dry-run', '-n', '--list-different', '-l', '-d'];
const mendingFlags = [
  '--fix',
  '--write',
  '--autocorrect',
  '--auto-correct',
  '-A',
  '--apply',
  '--updateSnapshot',
  '--update-snapshot',
  '--snapshot-update',
  '--update-snapshots',
];

type Judge = (args: readonly string[]) => boolean;

const has =
  (...wanted: string[]): Judge =>
  (args) =>
    args.some((arg) => wanted.includes(arg));
const begins =
  (word: string, unless: Judge): Judge =>
  (args) =>
    args[0] === word && !unless(args);
const onlyTells = has(...checkFlags);

/** Whether a program with such arguments changes files, by its name. */
const editors: Readonly<Record<string, Judge>> = {
  prettier: has('-w'),
  jest: has('-u'),
  vitest: has('-u'),
  gofmt: has('-w'),
  goimports: has('-w'),
  shfmt: has('-w'),
  black: (args) => !onlyTells(args),
  isort: (args) => !onlyTells(args),
  rustfmt: (args) => !onlyTells(args),
  oxfmt: (args) => !onlyTells(args),
  deno: begins('fmt', onlyTells),
  dprint: begins('fmt', onlyTells),
  cargo: begins('fmt', onlyTells),
  go: begins('fmt', onlyTells),
  ruff: begins('format', onlyTells),
  terraform: begins('fmt', onlyTells),
  sed: (args) => args.some((arg) => arg.startsWith('-i')),
  git: ([verb = '']) => ['commit', 'checkout', 'reset'].includes(verb),
};

function editing({ name, args }: Program): boolean {
  const base = baseName(name);
  if (base !== 'git' && mending(args)) return true;
  const own = Object.hasOwn(editors, base) ? editors[base] : undefined;
  if (own !== undefined) return own(args);
  return isPackageManager(base) && /^(?:fmt|format|fix|lint:fix|format:write|lint-fix)$/.test(taskOf(args));
}

const mending = has(...mendingFlags);

function taskOf(args: readonly string[]): string {
  return args.find((arg) => arg !== 'run') ?? '';
}

const watching = has('--watch', '--watchAll');
const servers: Readonly<Record<string, Judge>> = {
  tsc: has('-w'),
  jest: has('-w'),
  vitest: has('-w'),
  mocha: has('-w'),
  tail: has('-f'),
  next: (args) => args.length === 0 || args[0] === 'dev',
  vite: (args) => args.length === 0 || args[0] === 'dev',
  'http.server': () => true,
  nodemon: () => true,
};

function lasting({ name, args }: Program): boolean {
  const base = baseName(name);
  if (watching(args)) return true;
  const own = Object.hasOwn(servers, base) ? servers[base] : undefined;
  if (own !== undefined) return own(args);
  return isPackageManager(base) && /^(?:start|dev|serve|watch|test:watch)$/.test(taskOf(args));
}

function curls({ programs, path, command, step }: JudgedCommand): Found[] {
  const bare = programs.find(({ name, args }) => baseName(name) === 'curl' && !args.some(takesStatus));
  // Piped into something that reads the answer, or told to print the status: that judges it.
  if (bare === undefined || /\|(?!\|)|%\{http_code\}|\$\(/.test(command)) return [];
  const find = /\bcurl\b/.exec(command) !== null && command.split('curl ').length === 2 ? 'curl ' : undefined;
  return [
    {
      path,
      message: '`curl` without `-f` exits with 0 whatever the server answers',
      ...loopOf(step),
      ...(find === undefined ? {} : { fix: { kind: 'replace' as const, path, find, replace: 'curl -f ' } }),
    },
  ];
}

function takesStatus(arg: string): boolean {
  return arg.startsWith('--fail') || /^-[a-zA-Z]*f[a-zA-Z]*$/.test(arg);
}

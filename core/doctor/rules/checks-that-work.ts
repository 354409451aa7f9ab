import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import type { Found, Rule } from '#core/doctor/rule.ts';
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
  return [{ path, message, ...(step.loop === undefined ? {} : { loop: step.id }) }];
}

const checkFlags = ['--check', '-c', '-check', '--diff', '--dry-run', '-n', '--list-different', '-l', '-d'];
const formatters: ReadonlySet<string> = new Set([
  'black',
  'isort',
  'rustfmt',
  'gofmt',
  'goimports',
  'autopep8',
  'shfmt',
]);
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

function editing({ name, args }: Program): boolean {
  const base = baseName(name);
  const told = args.some((arg) => checkFlags.includes(arg));
  if (args.some((arg) => mendingFlags.includes(arg)) && base !== 'git') return !args.includes('--fix-dry-run');
  if (base === 'prettier' && args.includes('-w')) return true;
  if ((base === 'jest' || base === 'vitest') && args.includes('-u')) return true;
  if (base === 'gofmt' || base === 'goimports' || base === 'shfmt') return args.includes('-w');
  if (formatters.has(base)) return !told;
  if ((base === 'cargo' || base === 'go') && args[0] === 'fmt') return !told && !args.includes('--check');
  if (base === 'ruff' && args[0] === 'format') return !told;
  if (base === 'terraform' && args[0] === 'fmt') return !told;
  if (base === 'sed') return args.some((arg) => /^-i/.test(arg));
  if (base === 'git') return args[0] === 'commit' || args[0] === 'checkout' || args[0] === 'reset';
  return (
    isPackageManager(base) &&
    /^(?:fmt|format|fix|lint:fix|format:write|lint-fix)$/.test(args.find((arg) => arg !== 'run') ?? '')
  );
}

function lasting({ name, args }: Program): boolean {
  const base = baseName(name);
  if (args.includes('--watch') || args.includes('--watchAll')) return true;
  if (args.includes('-w') && ['tsc', 'jest', 'vitest', 'mocha'].includes(base)) return true;
  if (base === 'tail') return args.includes('-f');
  if (base === 'next' || base === 'vite') return args.length === 0 || args[0] === 'dev';
  if (base === 'http.server' || base === 'nodemon') return true;
  if (!isPackageManager(base)) return false;
  return /^(?:start|dev|serve|watch|test:watch)$/.test(args.find((arg) => arg !== 'run') ?? '');
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
      ...(step.loop === undefined ? {} : { loop: step.id }),
      ...(find === undefined ? {} : { fix: { kind: 'replace' as const, path, find, replace: 'curl -f ' } }),
    },
  ];
}

function takesStatus(arg: string): boolean {
  return /^--fail/.test(arg) || /^-[a-zA-Z]*f[a-zA-Z]*$/.test(arg);
}

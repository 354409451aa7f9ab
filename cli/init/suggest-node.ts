import { z } from 'zod';

import { present } from '#core/definition/present.ts';

import { has, type RepositoryFacts } from '#cli/init/repository-facts.ts';
import type { SlotName, Suggestion, Suggestions } from '#cli/init/slots.ts';

const Package = z.object({
  packageManager: z.string().optional(),
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});
type Package = z.infer<typeof Package>;

/** How a package manager is spoken to. */
interface Manager {
  /** Commands by what they do; `because` names the file that told of the manager. */
  because: string;
  install: string;
  run: (script: string) => string;
  exec: string;
  audit: string;
}

/** What a package.json tells; undefined when there is none, `broken` when it is no JSON of that shape. */
export function suggestNode(facts: RepositoryFacts): Suggestions | 'broken' | undefined {
  const text = facts.manifests['package.json'];
  if (text === undefined) return undefined;
  const read = readPackage(text);
  if (read === undefined) return 'broken';
  const manager = managerOf(facts, read);
  return {
    ...coverage(read, manager),
    ...tools(read, manager),
    ...scripts(read, manager),
    setup: { value: manager.install, because: manager.because },
    audit: { value: manager.audit, because: `${manager.because}, severity high and above` },
  };
}

function readPackage(text: string): Package | undefined {
  try {
    return Package.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function managerOf(facts: RepositoryFacts, { packageManager }: Package): Manager {
  const [, named, major] = /^(npm|pnpm|yarn|bun)@(\d+)/.exec(packageManager ?? '') ?? [];
  const because = (lock: string): string => (named === undefined ? lock : `packageManager in package.json`);
  const is = (name: string, ...locks: string[]): boolean =>
    named === name || (named === undefined && has(facts, ...locks));
  if (is('pnpm', 'pnpm-lock.yaml')) return pnpm(because('pnpm-lock.yaml'));
  if (is('yarn', 'yarn.lock')) {
    const modern = major === undefined ? has(facts, '.yarnrc.yml') : Number(major) > 1;
    return yarn(because('yarn.lock'), modern);
  }
  if (is('bun', 'bun.lock', 'bun.lockb')) return bun(because('bun.lock'));
  const lock = ['package-lock.json', 'npm-shrinkwrap.json'].find((name) => has(facts, name));
  return npm(lock ?? 'package.json', lock === undefined ? 'npm install' : 'npm ci');
}

const npm = (because: string, install: string): Manager => ({
  because,
  install,
  run: (script) => (script === 'test' ? 'npm test' : `npm run ${script}`),
  exec: 'npx',
  audit: 'npm audit --audit-level=high',
});

const pnpm = (because: string): Manager => ({
  because,
  install: 'pnpm install --frozen-lockfile',
  run: (script) => (script === 'test' ? 'pnpm test' : `pnpm run ${script}`),
  exec: 'pnpm exec',
  audit: 'pnpm audit --audit-level high',
});

const yarn = (because: string, modern: boolean): Manager => ({
  because,
  install: modern ? 'yarn install --immutable' : 'yarn install --frozen-lockfile',
  run: (script) => `yarn run ${script}`,
  exec: 'yarn run',
  // The exit code of the old one is the sum of 1, 2, 4, 8 and 16 for each severity found, from info to critical.
  audit: modern ? 'yarn npm audit --all --recursive --severity high' : 'yarn audit --level high || test $? -lt 8',
});

const bun = (because: string): Manager => ({
  because,
  install: 'bun install --frozen-lockfile',
  run: (script) => `bun run ${script}`,
  exec: 'bunx',
  audit: 'bun audit --audit-level=high',
});

/** What `npm init` writes into a package.json; it tests nothing. */
const noTests = 'no test specified';

const scriptNames: readonly { slot: SlotName; names: readonly string[] }[] = [
  { slot: 'test', names: ['test', 'test:unit'] },
  { slot: 'lint', names: ['lint', 'check'] },
  { slot: 'unused', names: ['knip', 'unused'] },
  { slot: 'docs', names: ['docs:check', 'lint:docs', 'docs:build', 'build:docs'] },
  { slot: 'accessibility', names: ['a11y', 'test:a11y', 'accessibility'] },
];

function scripts(read: Package, manager: Manager): Suggestions {
  const suggestions: Suggestions = {};
  for (const { slot, names } of scriptNames) {
    const name = names.find((script) => !(read.scripts[script] ?? noTests).includes(noTests));
    if (name !== undefined)
      suggestions[slot] = { value: manager.run(name), because: `the script "${name}" in package.json` };
  }
  return suggestions;
}

const summary = 'coverage/coverage-summary.json';

function coverage(read: Package, { run, exec }: Manager): Suggestions {
  const covered = {
    value: `node -p 'JSON.parse(require("fs").readFileSync("${summary}", "utf8")).total.lines.pct'`,
    because: `${summary}, which the reporter json-summary writes`,
  };
  const script = ['coverage', 'test:coverage'].find((name) => read.scripts[name] !== undefined);
  if (script !== undefined) {
    const because = `the script "${script}" in package.json; it must write ${summary} (reporter json-summary)`;
    return { coverage: { value: run(script), because }, covered };
  }
  const tool = [
    [
      'vitest',
      `${exec} vitest run --coverage --coverage.reporter=json-summary`,
      ' (it needs @vitest/coverage-v8)',
    ] as const,
    ['jest', `${exec} jest --coverage --coverageReporters=json-summary`, ''] as const,
    ['c8', `${exec} c8 --reporter=json-summary ${run('test')}`, ''] as const,
    ['nyc', `${exec} nyc --reporter=json-summary ${run('test')}`, ''] as const,
  ].find(([name]) => dependsOn(read, name));
  if (tool === undefined) return nodeTests(read);
  const [name, value, needs] = tool;
  return { coverage: { value, because: `${name} in package.json${needs}` }, covered };
}

/** The runner of Node itself measures too; its report goes where git does not see it. */
function nodeTests({ scripts: { test = '' } }: Package): Suggestions {
  const [, rest = ''] = /^node --test((?: .*)?)$/.exec(test) ?? [];
  if (!/^node --test(?: |$)/.test(test)) return {};
  const report = '"${TMPDIR:-/tmp}/setpoint-coverage.info"';
  const options = `--experimental-test-coverage --test-reporter=lcov --test-reporter-destination=${report}`;
  return {
    coverage: { value: `node --test ${options}${rest}`, because: 'the script "test" in package.json' },
    covered: {
      value: `awk -F: '/^LF:/ { all += $2 } /^LH:/ { hit += $2 } END { print all ? 100 * hit / all : 0 }' ${report}`,
      because: 'the report of the command above',
    },
  };
}

/** Tools that are there, for when no script starts them. */
function tools(read: Package, { exec }: Manager): Suggestions {
  const found = (tool: string, command: string): Suggestion | undefined =>
    dependsOn(read, tool) ? { value: `${exec} ${command}`, because: `${tool} in package.json` } : undefined;
  return present({
    unused: found('knip', 'knip'),
    lint: found('eslint', 'eslint .'),
    accessibility: found('pa11y-ci', 'pa11y-ci') ?? found('@lhci/cli', 'lhci autorun'),
  });
}

function dependsOn({ dependencies, devDependencies }: Package, name: string): boolean {
  return dependencies[name] !== undefined || devDependencies[name] !== undefined;
}

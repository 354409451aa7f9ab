import { expect, test } from 'vitest';

import type { RepositoryFacts } from '#cli/init/repository-facts.ts';
import type { SlotName } from '#cli/init/slots.ts';
import { suggestionsFrom } from '#cli/init/suggestions.ts';

interface Given extends Partial<RepositoryFacts> {
  manifests?: RepositoryFacts['manifests'];
}

function told(given: Given): Partial<Record<SlotName, string>> {
  const files = [...(given.files ?? []), ...Object.keys(given.manifests ?? {})];
  const { suggestions } = suggestionsFrom({ agents: [], notes: [], manifests: {}, ...given, files });
  return Object.fromEntries(Object.entries(suggestions).map(([name, { value }]) => [name, value]));
}

const packageJson = (content: object): RepositoryFacts['manifests'] => ({ 'package.json': JSON.stringify(content) });
const withTest = packageJson({ scripts: { test: 'vitest run', lint: 'eslint .' } });

test.each([
  ['package-lock.json', 'npm ci', 'npm test', 'npm audit --audit-level=high'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile', 'pnpm test', 'pnpm audit --audit-level high'],
  ['yarn.lock', 'yarn install --frozen-lockfile', 'yarn run test', 'yarn audit --level high || test $? -lt 8'],
  ['bun.lockb', 'bun install --frozen-lockfile', 'bun run test', 'bun audit --audit-level=high'],
])('E-22: %s tells how dependencies are installed, tested and audited', (lock, setup, run, audit) => {
  expect(told({ manifests: withTest, files: [lock] })).toMatchObject({ setup, test: run, audit });
});

test('E-22: packageManager in package.json wins over a lock file, and tells the age of yarn', () => {
  const manifests = packageJson({ packageManager: 'yarn@4.1.0', scripts: { test: 'x' } });
  expect(told({ manifests, files: ['package-lock.json'] })).toMatchObject({
    setup: 'yarn install --immutable',
    audit: 'yarn npm audit --all --recursive --severity high',
  });
});

test('E-22: the script that npm init writes is no test command', () => {
  const manifests = packageJson({ scripts: { test: 'echo "Error: no test specified" && exit 1' } });
  expect(told({ manifests }).test).toBeUndefined();
});

test.each([
  [
    { files: ['uv.lock'], manifests: { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest>=8", "ruff"]' } },
    'uv sync --frozen',
    'uv run pytest',
    'uv run ruff check .',
  ],
  [
    { files: ['poetry.lock'], manifests: { 'pyproject.toml': '[tool.pytest.ini_options]' } },
    'poetry install',
    'poetry run pytest',
    undefined,
  ],
  [
    { files: ['test_a.py'], manifests: { 'requirements.txt': 'flask\npytest-mock\n' } },
    'python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt',
    '.venv/bin/python -m unittest discover',
    undefined,
  ],
  [
    { manifests: { 'Cargo.toml': '[package]' }, files: ['Cargo.lock'] },
    'cargo fetch --locked',
    'cargo test',
    'cargo clippy --all-targets -- -D warnings',
  ],
  [{ manifests: { 'go.mod': 'module x' } }, 'go mod download', 'go test ./...', 'go vet ./...'],
  [
    { manifests: { Makefile: 'CC := gcc\n.PHONY: test\nlint test: all\n\tcc\ninstall::\n\tx\n' } },
    'make install',
    'make test',
    'make lint',
  ],
] satisfies [Given, string, string, string | undefined][])(
  'E-22: %o tells set-up, tests and lint',
  (given, setup, run, lint) => {
    expect(told(given)).toMatchObject({ setup, test: run, ...(lint === undefined ? {} : { lint }) });
    expect(told(given).lint).toBe(lint);
  },
);

test('E-22: when several files tell a command, the first is taken and the others are named', () => {
  const manifests = { ...withTest, Makefile: 'test:\n\tnpm test\n' };
  const { suggestions } = suggestionsFrom({ agents: [], notes: [], files: [], manifests });
  expect(suggestions.test).toEqual({
    value: 'npm test',
    because: 'the script "test" in package.json',
    others: ['make test'],
  });
});

test('E-22: coverage is suggested only with a way to read its summary', () => {
  expect(told({ manifests: packageJson({ devDependencies: { vitest: '4' } }) })).toMatchObject({
    coverage: 'npx vitest run --coverage --coverage.reporter=json-summary',
    covered: expect.stringContaining('coverage/coverage-summary.json'),
  });
  const own = told({ manifests: packageJson({ scripts: { test: 'node --test test/' } }) });
  expect(own.coverage).toMatch(/^node --test --experimental-test-coverage .*lcov.* test\/$/);
  expect(own.covered).toContain('LF:');
  expect(told({ manifests: { Makefile: 'coverage:\n\tgcov\n' } })).not.toHaveProperty('coverage');
});

test('E-22: tests, code and release notes are told by the names of the files', () => {
  const files = ['src/a.ts', 'src/a.test.ts', 'tests/e2e/b.py', 'History.md', 'vitest.config.ts'];
  expect(told({ files })).toMatchObject({
    tests: '**/tests/**, **/*.test.*',
    source: 'src/**',
    notes: 'History.md',
    configs: 'vitest.config.ts',
  });
});

test('E-22: the reviewer is another agent than the one that works', () => {
  expect(told({ agents: ['codex', 'claude', 'pi'] })).toMatchObject({ agent: 'codex', reviewer: 'claude' });
  expect(told({ agents: ['codex'] })).not.toHaveProperty('reviewer');
});

test('E-22: a package.json that cannot be read is said, and tells nothing', () => {
  const facts = { agents: [], notes: ['before'], files: [], manifests: { 'package.json': '{' } };
  const { suggestions, notes } = suggestionsFrom(facts);
  expect(suggestions).toEqual({});
  expect(notes).toEqual(['before', expect.stringContaining('package.json is no JSON')]);
});

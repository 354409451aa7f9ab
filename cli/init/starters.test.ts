import { expect, test } from 'vitest';

import { examine } from '#core/doctor/examine.ts';
import { compileText } from '#dialects/parse.ts';

import { foundAnswers, givenAnswers } from '#cli/init/answer-slots.ts';
import { fillStarter, slotsIn } from '#cli/init/fill-starter.ts';
import type { RepositoryFacts } from '#cli/init/repository-facts.ts';
import { readStarter, starterNames } from '#cli/init/starters.ts';
import { suggestionsFrom } from '#cli/init/suggestions.ts';

const repositories: Record<string, Pick<RepositoryFacts, 'files' | 'manifests'>> = {
  'npm and vitest': {
    files: ['package-lock.json', 'vitest.config.ts', 'src/a.ts', 'src/a.test.ts', 'README.md'],
    manifests: {
      'package.json': JSON.stringify({
        scripts: { test: 'vitest run', lint: 'eslint .' },
        devDependencies: { vitest: '4' },
      }),
    },
  },
  'pnpm and node --test': {
    files: ['pnpm-lock.yaml', 'lib/a.js', 'test/a.js'],
    manifests: { 'package.json': JSON.stringify({ scripts: { test: 'node --test' } }) },
  },
  'yarn, in its old form': {
    files: ['yarn.lock', 'lib/a.js', '__tests__/a.js'],
    manifests: { 'package.json': JSON.stringify({ scripts: { test: 'jest' }, devDependencies: { jest: '29' } }) },
  },
  'pip and unittest': { files: ['app/a.py', 'tests/test_a.py'], manifests: { 'requirements.txt': 'flask' } },
  uv: {
    files: ['uv.lock', 'src/a.py', 'tests/test_a.py', 'mkdocs.yml'],
    manifests: { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest", "pytest-cov", "ruff", "vulture"]' },
  },
  go: { files: ['cmd/a/main.go', 'cmd/a/main_test.go'], manifests: { 'go.mod': 'module a' } },
  cargo: { files: ['Cargo.lock', 'src/lib.rs', 'tests/a.rs'], manifests: { 'Cargo.toml': '[package]' } },
  make: { files: ['src/a.c', 'tests/a.c'], manifests: { Makefile: 'test: all\n\t./run\nlint:\n\tx\ninstall:\n\tx\n' } },
};

const cases = Object.keys(repositories).flatMap((repository) =>
  starterNames.map((name) => [repository, name] as const),
);

test.each(cases)(
  'E-22, V-30, E-20: in a repository with %s the doctor has no finding in %s',
  async (repository, name) => {
    const given = repositories[repository] ?? { files: [], manifests: {} };
    const files = [...given.files, ...Object.keys(given.manifests)];
    const { suggestions } = suggestionsFrom({ ...given, files, agents: ['codex', 'claude'], notes: [] });
    const template = await readStarter(name);
    const names = slotsIn(template);
    const told = [
      'accessibility=pa11y-ci',
      'errors=errors --since 1d',
      'audit=audit --strict',
      'coverage=measure',
      'covered=tell',
    ];
    const said = givenAnswers(
      told.filter((pair) => names.some((slot) => pair.startsWith(`${slot}=`) && suggestions[slot] === undefined)),
      names,
    );
    const text = fillStarter(template, { ...foundAnswers(names, suggestions), ...said });
    const compiled = compileText({ text, file: `${name}.loop.yaml` });
    if (compiled.kind === 'issues') throw new TypeError(`${text}\n${JSON.stringify(compiled.issues)}`);
    expect(compiled.warnings).toEqual([]);
    const { findings, loops } = examine(compiled.plan);
    expect(findings.map(({ rule, path, message }) => `${rule} ${path}: ${message}`)).toEqual([]);
    expect(loops.every(({ closed }) => closed)).toBe(true);
    expect(text).not.toContain('REPLACE THIS');
  },
);

import type { RepositoryFacts } from '#cli/init/repository-facts.ts';
import type { Suggestion, Suggestions } from '#cli/init/slots.ts';

const codeFolders = ['src', 'lib', 'app', 'pkg', 'cmd', 'internal', 'packages', 'crates'];

/** Where tests are: a folder of that name anywhere, or the names that the usual runners look for. */
const testPatterns: readonly { pattern: string; files: RegExp }[] = [
  { pattern: '**/test/**', files: /(?:^|\/)test\// },
  { pattern: '**/tests/**', files: /(?:^|\/)tests\// },
  { pattern: '**/__tests__/**', files: /(?:^|\/)__tests__\// },
  { pattern: '**/spec/**', files: /(?:^|\/)spec\// },
  { pattern: '**/*.test.*', files: /\.test\.\w+$/ },
  { pattern: '**/*.spec.*', files: /\.spec\.\w+$/ },
  { pattern: '**/*_test.*', files: /_test\.\w+$/ },
  { pattern: '**/test_*.py', files: /(?:^|\/)test_[^/]*\.py$/ },
];

/** Files at the top that say which tests run and what is measured. */
const configFile =
  /^(?:package\.json|(?:vitest|vite|jest|karma|playwright)\.config\.\w+|\.(?:c8rc|nycrc|coveragerc)[.\w]*|pyproject\.toml|setup\.cfg|pytest\.ini|tox\.ini|conftest\.py|Makefile|makefile|GNUmakefile|codecov\.ya?ml)$/;

const notesFile = /^(?:CHANGELOG|CHANGES|HISTORY|NEWS|RELEASE_?NOTES)(?:\.\w+)?$/i;

/** What the names of the files tell. */
export function suggestFromFiles({ files }: RepositoryFacts): Suggestions {
  const folders = codeFolders.filter((folder) => files.some((file) => file.startsWith(`${folder}/`)));
  const tests = testPatterns.filter((known) => files.some((file) => known.files.test(file)));
  const notes = files.find((file) => notesFile.test(file));
  return {
    ...list(
      'source',
      folders.map((folder) => `${folder}/**`),
      'the folders of code at the top',
    ),
    ...list(
      'tests',
      tests.map(({ pattern }) => pattern),
      'the files that are named like tests',
    ),
    ...list(
      'configs',
      files.filter((file) => configFile.test(file)),
      'the settings of tests at the top',
    ),
    ...(notes === undefined ? {} : { notes: { value: notes, because: notes } }),
  };
}

function list(slot: 'source' | 'tests' | 'configs', patterns: string[], because: string): Suggestions {
  if (patterns.length === 0) return {};
  const suggestion: Suggestion = { value: patterns.join(', '), because };
  return { [slot]: suggestion };
}

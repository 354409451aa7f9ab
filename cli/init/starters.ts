import { readFile } from 'node:fs/promises';

/** One line for each, as lists show it. */
const starters = {
  feature: 'plan, implement, test, review, approve a change',
  'fix-until-green': 'one agent works until the test suite passes',
  'docs-sweep': 'the documentation is brought to what the code does',
  'production-error-sweep': 'errors of production get their cause mended, each with a test',
  'coverage-push': 'tests are written until so many lines are covered',
  'repository-cleanup': 'what nobody uses is removed, behaviour stays',
  'flaky-tests': 'the suite passes several times in a row',
  'cve-burndown': 'dependencies with known vulnerabilities are replaced',
  'onboarding-check': 'what the README tells newcomers works in a fresh clone',
  'accessibility-repair': 'what an accessibility checker finds is mended',
  'release-notes': 'release notes are drafted, and a person agrees',
} as const;

export type StarterName = keyof typeof starters;

export const starterNames: readonly StarterName[] = Object.keys(starters).filter(isStarterName);

export function isStarterName(text: string): text is StarterName {
  return Object.hasOwn(starters, text);
}

export function summaryOf(name: StarterName): string {
  return starters[name];
}

/** The file that a starter is written to when no other is named. */
export function defaultFile(name: StarterName): string {
  return `${name}.loop.yaml`;
}

/** The text of a starter with its slots open. This file stands one folder deeper when it is built. */
export async function readStarter(name: StarterName): Promise<string> {
  const file = `starters/${name}.loop.yaml`;
  try {
    return await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    return readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
  }
}

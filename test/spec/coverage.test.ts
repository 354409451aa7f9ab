import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pagesFolder = join(root, 'docs/spec');
const skipped = new Set(['node_modules', 'dist', '.git', '.setpoint']);

interface Page {
  file: string;
  text: string;
  /** The rules that stand under *Behaviour*: what this version claims to do. */
  rules: string[];
}

const pages = readdirSync(pagesFolder)
  .filter((file) => file !== 'README.md')
  .toSorted()
  .map((file): Page => {
    const text = readFileSync(join(pagesFolder, file), 'utf8');
    const behaviour = /^## Behaviour\n(.*?)^## /ms.exec(text)?.[1] ?? '';
    const rules = [...behaviour.matchAll(/^- \*\*([A-H]\d+|decision \d+)\*\* /gm)].flatMap(([, rule]) => rule ?? []);
    return { file, text, rules };
  });

/** The first string of `test(`, `describe(` and `scenario(`, with or without a table before it. */
const namePattern =
  /\b(?:test|describe|scenario)(?:\.\w+)*(?:\([^'"`]*?\)|\(\[.*?\](?: as const)?\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;

const names = testFiles(root).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(namePattern)].flatMap(([, , name]) => name ?? []),
);
const namedBy = (pattern: RegExp) => new Set(names.flatMap((name) => name.match(pattern) ?? []));
const namedRules = namedBy(/\b[A-H]\d{1,2}\b|decision \d+/g);

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : testFiles(path);
    return entry.name.endsWith('.test.ts') && path !== fileURLToPath(import.meta.url) ? [path] : [];
  });
}

/** Every rule there is in the groups that are specified whole; their numbers never change. */
const groups = { A: 14, B: 12, C: 10, D: 6, E: 10, H: 4 };
const allRules = Object.entries(groups).flatMap(([group, count]) =>
  Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
);

/**
 * Reports of faults that other tools have had. Only those that this version answers whole; a number that stands here is
 * never lost. What users of those tools rely on is held by `scripts/conformance.mjs`.
 */
const reports =
  'R001 R003 R005 R007 R009 R011 R013 R015 R019 R021 R023 R025 R033 R035 R037 R039 R041 R043 R045 R047 R049 R053 R057';

describe('the spec and the tests say the same', () => {
  test('every rule of A to E and H stands on a page, and is named by a test', () => {
    const standing = new Set(pages.flatMap(({ rules }) => rules));
    expect(allRules.filter((rule) => !standing.has(rule))).toEqual([]);
    expect(allRules.filter((rule) => !namedRules.has(rule))).toEqual([]);
  });

  test('every report that this version answers is named by a test', () => {
    const named = namedBy(/\bR0\d\d\b/g);
    expect(reports.split(' ').filter((id) => !named.has(id))).toEqual([]);
  });

  test('no rule stands on two pages', () => {
    const all = pages.flatMap(({ rules }) => rules);
    expect(all.toSorted()).toEqual([...new Set(all)].toSorted());
    expect(all.length).toBeGreaterThan(50);
  });

  test.each(pages.map(({ file, rules }) => [file, rules] as const))(
    'every rule that %s claims is named by a test',
    (_file, rules) => {
      expect(rules.length).toBeGreaterThan(0);
      expect(rules.filter((rule) => !namedRules.has(rule))).toEqual([]);
    },
  );

  test.each(pages.map(({ file, text }) => [file, text] as const))('%s has its parts in order', (_file, text) => {
    const parts = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(parts).toEqual(['Status', 'Behaviour', 'Errors and stops', 'Example']);
  });

  test.each(pages.map(({ file, text }) => [file, text] as const))('the files that %s links to exist', (_file, text) => {
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].flatMap(([, link]) => link ?? []);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !existsSync(join(pagesFolder, link)))).toEqual([]);
  });

  test('the index names every page', () => {
    const index = readFileSync(join(pagesFolder, 'README.md'), 'utf8');
    for (const { file } of pages) expect(index).toContain(`](${file})`);
  });
});

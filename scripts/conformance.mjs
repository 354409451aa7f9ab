// Writes docs/conformance.md: every feature of the five tools beside the tests of a run that show it.
// `node scripts/conformance.mjs REPORT...`, the JSON reports of vitest. Fails when a feature that is due has no passing
// test, or when the page that is committed says something else than this run showed.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = `${root}docs/conformance.md`;
const features = JSON.parse(readFileSync(`${root}test/conformance/features.json`, 'utf8'));

const tools = {
  V: ['verdict-steps', 'Step verdicts and loop-back', 'coming-from-verdict-steps.md'],
  D: ['dagu-yaml', "Closed loops in Dagu's YAML", 'coming-from-dagu.md'],
  E: ['exit-checks', 'Exit-check loops', 'coming-from-exit-checks.md'],
  C: ['conditions', 'Conditions around prompt steps', 'coming-from-conditions.md'],
  T: ['task-file', 'Task-file loops', 'coming-from-task-files.md'],
};
const shownTests = 4;

/** Where a test stands that shows most: a run of the file itself, then what is read from it, then what the law does with it. */
const bestPlaces = ['test/e2e/', 'dialects/', 'test/spec/', 'test/'];

/** Delivery to pull requests: `deliver: pr` and `merge` are refused by name (`definition/not-yet`) until they are there. */
const undelivered = new Set([...range('T', 13, 20), ...range('E', 11, 14), ...range('E', 28, 30), 'D-24']);

/** What a line says beside what its tests show, and where it stands. */
const notYet = {
  'V-29': 'the arc and the list are drawn by no page yet; `setpoint plan` and the API tell them',
  'V-32': 'there is no form yet; the API tells what it would show',
  'E-23': 'there is no page yet; the API tells what it would show',
  'E-26': 'there is no page yet; `setpoint runs` and the API are the list',
  'T-08': 'nothing is watched after a delivery, so no time limits it',
  'T-13': '`pr` is refused by name',
  'T-22': '`reconcile`, which comes with pull requests',
  'T-31': 'comments on pull requests and the output of CI, which come with pull requests',
};

function range(tool, first, last) {
  return Array.from({ length: last - first + 1 }, (_, index) => `${tool}-${String(first + index).padStart(2, '0')}`);
}

/** By feature, the passing tests whose names, or those of their groups, carry its id. */
function testsByFeature(reports) {
  const found = new Map(Object.keys(features).map((id) => [id, new Map()]));
  for (const { place, title, names } of reports.flatMap(passedTests)) {
    for (const [id] of names.matchAll(/\b[VDECT]-\d\d\b/g)) found.get(id)?.set(`${place}\n${title}`, { place, title });
  }
  return found;
}

function passedTests(report) {
  return JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed')
      .map(({ title, ancestorTitles }) => {
        return { place: relative(root, name), title, names: [...ancestorTitles, title].join(' ') };
      }),
  );
}

function tableOf(tool, found) {
  const ids = Object.keys(features).filter((id) => id.startsWith(tool));
  const [dialect, title, guide] = tools[tool];
  const rows = ids.map((id) => `| ${id} | ${cell(features[id])} | ${shownBy(id, found.get(id))} |`);
  return [
    `## ${title} (\`${dialect}\`)`,
    '',
    `How to bring a file over: [${guide}](guide/${guide}).`,
    '',
    '| id | feature | shown by |',
    '|---|---|---|',
    ...rows,
    '',
  ];
}

function shownBy(id, tests) {
  const sorted = [...tests.values()].sort(
    // Tests of one file stay in its order, in which the first ones say most.
    (a, b) => rankOf(id, a) - rankOf(id, b) || (a.place === b.place ? 0 : a.place < b.place ? -1 : 1),
  );
  const own = sorted.filter(({ title }) => title.includes(id));
  const told = spread(own.length > 0 ? own : sorted).slice(0, shownTests);
  const rest = sorted.length - told.length;
  const links = told.map(({ place, title }) => `[${cell(title)}](../${place})`);
  if (rest > 0) links.push(`and ${rest} more`);
  if (links.length > 0) return [...links, ...(id in notYet ? [`Not yet: ${notYet[id]}.`] : [])].join('<br>');
  return undelivered.has(id) ? 'Not yet: pull requests are not delivered by this version.' : '**missing**';
}

/** Two tests of each file before the others of it, so that each kind of test is told. */
function spread(tests) {
  const isAmongFirst = (test, index) => tests.slice(0, index).filter(({ place }) => place === test.place).length < 2;
  const first = tests.filter(isAmongFirst);
  return [...first, ...tests.filter((test) => !first.includes(test))];
}

/** Lowest for a test that names this feature itself, in the best place, before others. */
function rankOf(id, { place, title }) {
  const found = bestPlaces.findIndex((start) => place.startsWith(start) && !place.endsWith('/broken.test.ts'));
  const placed = found === -1 ? bestPlaces.length : found;
  return (title.includes(id) ? 0 : 100) + placed * 2 + (title.startsWith(id) ? 0 : 1);
}

/** One cell of a table, whatever the text holds. */
function cell(text) {
  return text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll(/[[\]<>]/g, (mark) => `\\${mark}`);
}

const found = testsByFeature(process.argv.slice(2));
const missing = Object.keys(features).filter((id) => found.get(id).size === 0 && !undelivered.has(id));
const due = Object.keys(features).filter((id) => found.get(id).size > 0 || !undelivered.has(id));
const text = [
  '# Conformance',
  '',
  'What users of five other tools rely on, line by line, and the tests that show it here. This page is written by',
  '`npm test` from the tests that passed; a line without a test fails the run.',
  '',
  `${due.length - missing.length} of ${Object.keys(features).length} lines are shown.`,
  '',
  ...Object.keys(tools).flatMap((tool) => tableOf(tool, found)),
].join('\n');

const before = readOr(page, '');
if (missing.length > 0) console.error(`features without a passing test: ${missing.join(', ')}`);
if (text !== before) {
  writeFileSync(page, text);
  console.error('docs/conformance.md was out of date and is written anew: commit it');
}
console.log(
  `conformance: ${due.length - missing.length} of ${Object.keys(features).length} features are shown by a test`,
);
process.exitCode = missing.length === 0 && text === before ? 0 : 1;

function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  }
}

// Writes docs/errors: a page for each code, and an index. `--check` writes nothing and fails when a page is missing, stale
// or of no code. Reads the built table, so that it shows what is shipped: run `npm run build` first.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { errorPageOf } from '../dist/core/contract/error-page-of.js';
import { errorPages } from '../dist/core/contract/error-pages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs/errors');

const areas = {
  agent: 'Coding agents',
  call: 'Calls of other definitions',
  check: 'Checks',
  command: 'Commands',
  confirmation: 'Confirmations of what agents ask for',
  definition: 'Definitions',
  deliver: 'Delivery settings',
  delivery: 'Deliveries',
  dialect: 'Dialects',
  diff: 'Differences',
  engine: 'Temporal',
  edit: 'Edits of a run',
  env: 'Environment',
  fork: 'Forks of a run',
  host: 'Hosts',
  http: 'Calls of the API',
  input: 'Inputs',
  limit: 'Limits',
  loop: 'Loops',
  output: 'Outputs',
  pattern: 'Patterns',
  person: 'People',
  raise: 'Raised limits',
  report: "Agents' reports",
  review: 'Reviews',
  run: 'Runs',
  sandbox: 'Sandbox',
  schema: 'Schemas',
  secret: 'Secrets',
  server: 'Servers',
  source: 'The text of a definition',
  stack: 'The embedded stack',
  step: 'Steps',
  store: 'Stores',
  task: 'Tasks',
  template: 'Templates',
  workspace: 'Workspaces',
};

const note = '<!-- Generated from core/contract/error-pages.ts by scripts/generate-error-pages.mjs. -->';

function page(code, { title, meaning, remedy }) {
  return `# ${title}\n\n${note}\n\nCode: \`${code}\`\n\n## What it means\n\n${meaning}\n\n## What to do\n\n${remedy}\n`;
}

function index(codes) {
  const byArea = group(codes);
  const sections = [...byArea]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([area, own]) => {
      if (areas[area] === undefined)
        throw new Error(`the area ${area} has no heading in scripts/generate-error-pages.mjs`);
      const lines = own
        .toSorted()
        .map((code) => `- [\`${code}\`](${fileOf(code)}) ${firstSentence(errorPages[code].meaning)}`);
      return `## ${areas[area]}\n\n${lines.join('\n')}\n`;
    });
  return `# Error codes\n\n${note}\n\nA code never changes its meaning. Messages say what happened in the case at hand; these pages say what the code means.\n\n${sections.join('\n')}`;
}

const firstSentence = (text) => text.split(/(?<=\.)\s/)[0];
const fileOf = (code) => `${errorPageOf(code).slice('docs/errors/'.length)}.md`;
const areaOf = (code) => dirname(fileOf(code));

function group(codes) {
  const groups = new Map();
  for (const code of codes) groups.set(areaOf(code), [...(groups.get(areaOf(code)) ?? []), code]);
  return groups;
}

const codes = Object.keys(errorPages);
const wanted = new Map([
  ...codes.map((code) => [fileOf(code), page(code, errorPages[code])]),
  ['README.md', index(codes)],
]);
if (wanted.size !== codes.length + 1) throw new Error('two codes have the same page');

const found = new Map(listed().map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
const stale = [...wanted].filter(([path, text]) => found.get(path) !== text).map(([path]) => path);
const orphaned = [...found.keys()].filter((path) => !wanted.has(path));

function listed() {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

if (process.argv.includes('--check')) {
  for (const path of stale) console.error(`docs/errors/${path} is missing or stale`);
  for (const path of orphaned) console.error(`docs/errors/${path} is of no code`);
  if (stale.length + orphaned.length > 0) {
    console.error('Run: npm run generate');
    process.exitCode = 1;
  }
} else {
  for (const path of stale) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), wanted.get(path));
  }
  for (const path of orphaned) rmSync(join(folder, path));
  console.log(`${wanted.size} pages: ${stale.length} written, ${orphaned.length} removed`);
}

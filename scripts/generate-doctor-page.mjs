// Writes the rules into docs/guide/doctor.md, between its marks. `--check` writes nothing and fails when the page is stale.
// Reads the built table, so that it shows what is shipped: run `npm run build` first.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { historyRules } from '../dist/core/doctor/history/registry.js';
import { rules } from '../dist/core/doctor/registry.js';

const page = fileURLToPath(new URL('../docs/guide/doctor.md', import.meta.url));
const [open, close] = ['<!-- rules -->', '<!-- /rules -->'];

const facts = ({ severity, missing }) => (missing === undefined ? severity : `${severity}, ${missing} missing`);

const ofPlans = rules.map((rule) =>
  [
    `### \`${rule.id}\``,
    `${rule.title} (${facts(rule)})`,
    `Why: ${rule.why}`,
    '```yaml\n' + rule.example.wrong.trimEnd() + '\n```',
    `To close it: ${rule.remedy}`,
    '```yaml\n' + rule.example.right.trimEnd() + '\n```',
  ].join('\n\n'),
);
const ofRuns = historyRules.map((rule) =>
  [`### \`${rule.id}\``, `${rule.title} (${facts(rule)})`, `Why: ${rule.why}`, `To do: ${rule.remedy}`].join('\n\n'),
);
const text = [...ofPlans, '## Rules over runs', ...ofRuns].join('\n\n');

const before = readFileSync(page, 'utf8');
const [start, end] = [before.indexOf(open), before.indexOf(close)];
if (start < 0 || end < start) throw new Error(`${page} has lost its marks ${open} and ${close}`);
const after = `${before.slice(0, start + open.length)}\n\n${text}\n\n${before.slice(end)}`;
if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('docs/guide/doctor.md is stale: run `npm run generate`');
    process.exitCode = 1;
  }
} else if (after !== before) {
  writeFileSync(page, after);
  console.log('docs/guide/doctor.md written');
}

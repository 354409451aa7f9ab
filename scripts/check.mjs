// `npm run check`: everything about the tree that a tool can tell. All steps run, then the exit code says whether all passed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const bin = (name) => new URL(`../node_modules/.bin/${name}`, import.meta.url).pathname;
const node = (script, ...args) => [process.execPath, [new URL(script, import.meta.url).pathname, ...args]];

const steps = [
  ['types and walls', bin('tsc'), ['-b']],
  ['workflow bundle', ...node('./build-workflow-bundle.mjs')],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings']],
  ['format', bin('oxfmt'), ['--check', '.']],
  ['dead code', bin('knip'), ['--no-progress']],
  ['generated files', ...node('./generate.mjs', '--check')],
  ['sizes', ...node('./size-report.mjs')],
];

const failed = [];
for (const [name, command, args] of steps) {
  if (!existsSync(command)) {
    console.error(`check: ${command} is missing; run npm ci`);
    process.exit(1);
  }
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const passed = status === 0;
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (!passed || name === 'sizes') console.log(`${stdout}${stderr}`.trim());
  if (!passed) failed.push(name);
}
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(', ')}`);
  process.exit(1);
}

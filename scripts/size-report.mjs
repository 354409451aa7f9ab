// Prints how large files and functions are, so that drift is seen. The linter holds the limits; this never fails.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  encoding: 'utf8',
});
const generated = ['client/schema.ts', 'client/operations.ts', 'client/index.ts'];
const files = listed.split('\n').filter((path) => path !== '' && !generated.includes(path));
const linesOf = (path) => readFileSync(path, 'utf8').split('\n').length;
const isTest = (path) => path.endsWith('.test.ts') || path.startsWith('test/');

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

for (const [name, kept] of [
  ['source', files.filter((path) => !isTest(path))],
  ['tests', files.filter(isTest)],
]) {
  const sizes = kept.map(linesOf).toSorted((a, b) => a - b);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  console.log(
    `${name}: ${kept.length} files, ${total} lines; a file has ${at(sizes, 0.5)} (median), ${at(sizes, 0.95)} (p95), ${at(sizes, 1)} (most)`,
  );
}

// `npm test`: the check, then every test. Ends with `N passed, N failed`; the check and the page of conformance count as one
// test each.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
// A log is read by people and machines: colour only where a terminal shows it.
const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status === 0;

const folder = mkdtempSync(join(tmpdir(), 'setpoint-test-'));
const counts = { passed: 0, failed: 0 };
const count = (passed) => {
  counts[passed ? 'passed' : 'failed'] += 1;
};

count(run(process.execPath, ['scripts/check.mjs']));

const projects = ['fast', 'real', 'e2e'];
const reportOf = (project) => join(folder, `${project}.json`);

for (const project of projects) {
  const report = reportOf(project);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const passed = run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...reporters]);
  const told = readReport(report);
  counts.passed += told.passed;
  counts.failed += told.failed;
  // A run that fails without a failing test (a file that cannot be loaded, an unhandled error) is a failure too.
  if (!passed && told.failed === 0) count(false);
  if (told.skipped > 0) {
    console.error(`${told.skipped} tests of ${project} were skipped; a test that cannot run must fail`);
    count(false);
  }
}

count(run(process.execPath, ['scripts/conformance.mjs', ...projects.map(reportOf)]));

rmSync(folder, { recursive: true, force: true });
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 && counts.passed > 1 ? 0 : 1;

function readReport(path) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(path, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  } catch (error) {
    console.error(`the test run left no report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

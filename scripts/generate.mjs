// Writes every generated file of the tree, or with `--check` fails when one is stale. Reads what is built.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const script of ['./generate-error-pages.mjs', './generate-doctor-page.mjs', './generate-client.mjs']) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { status } = spawnSync(process.execPath, [path, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

// Builds the workflow bundle once, at build time, so that no worker pays for webpack at its start.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const entry = fileURLToPath(new URL('dist/workflows/index.js', root));
if (!existsSync(entry)) {
  console.error(`build-workflow-bundle: ${entry} is missing; run tsc -b first`);
  process.exit(1);
}
const { bundleWorkflowCode, DefaultLogger, Runtime } = await import('@temporalio/worker');
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
const { code } = await bundleWorkflowCode({ workflowsPath: entry, logger: new DefaultLogger('ERROR') });
// Schemas parse at the edges, and workflows import types: a value beside a schema brings all of zod, a megabyte for each worker.
if (code.includes('./node_modules/zod/')) {
  console.error(
    'build-workflow-bundle: zod is in the bundle; move what workflows need of a contract beside its shapes',
  );
  process.exit(1);
}
mkdirSync(new URL('dist/', root), { recursive: true });
writeFileSync(new URL('dist/workflow-bundle.js', root), code);
console.log(`workflow bundle: ${Math.round(code.length / 1024)} KiB`);

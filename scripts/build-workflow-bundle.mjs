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
mkdirSync(new URL('dist/', root), { recursive: true });
writeFileSync(new URL('dist/workflow-bundle.js', root), code);
console.log(`workflow bundle: ${Math.round(code.length / 1024)} KiB`);

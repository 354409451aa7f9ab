// Records the histories that test/replay replays. Those that are there stay, unless --new is given: a history that a
// released version left behind is never recorded again (a red replay means `patched()` or a new `semantics`).
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const recorder = new URL('dist/test/replay/record.js', root);
const bundlePath = fileURLToPath(new URL('dist/workflow-bundle.js', root));
if (!existsSync(recorder) || !existsSync(bundlePath)) {
  console.error('record-histories: nothing is built; run npm run build first');
  process.exit(1);
}
const { recordHistories } = await import(recorder.href);
await recordHistories({
  folder: fileURLToPath(new URL('test/replay/histories', root)),
  bundlePath,
  renew: process.argv.includes('--new'),
  tell: (line) => console.log(line),
});
process.exit(0);

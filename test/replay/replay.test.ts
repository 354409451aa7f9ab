import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleSources } from '../workflow/bundle.ts';
import { historyFiles, historyName } from './history-files.ts';
import { recordings } from './scenarios.ts';

const files = historyFiles(fileURLToPath(new URL('histories', import.meta.url)));
/** A replay takes less than a second; one that diverges may never answer. */
const limitMs = 10_000;

let bundle: WorkflowBundleOption;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  bundle = await bundleSources();
});

describe('house rule 9: runs that are under way go on with the code as it is now', () => {
  test.each([...Object.keys(recordings), 'cleanup'])('%s has a recorded history', (name) => {
    expect(files.map((file) => file.name)).toContain(historyName(name, 1));
  });

  test.each(files)(
    'the history $name replays',
    async ({ text }) => {
      const replaying = Worker.runReplayHistory({ workflowBundle: bundle }, JSON.parse(text));
      await expect(replaying).resolves.toBeUndefined();
    },
    limitMs,
  );
});

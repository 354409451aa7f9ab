import { expect, test } from 'vitest';
import { recordings } from '../replay/scenarios.ts';
import { useStage } from './use-stage.ts';

// One after another: without a cache the SDK works on one task at a time, and others would wait past their limit.
const stage = useStage({ maxCachedWorkflows: 0 });

const names = [
  'every-kind-of-work',
  'cancelled-in-an-attempt',
  'retry-after-overload-and-quota',
  'crashes-lost-resumable-finished',
  'retried-while-closing',
  'two-look-ups-beside-a-failing-recorder',
];

test.each(names)('E5: %s comes out right though every task replays the history from its start', async (name) => {
  const played = await recordings[name]?.((scenario) => stage.play(scenario));
  expect(played?.types[0]).toBe('run.started');
  expect(played?.types.at(-1)).toBe('run.stopped');
});

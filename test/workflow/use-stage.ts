import { afterAll, beforeAll } from 'vitest';
import { withTemporal } from '../integration/with-temporal.ts';
import { bundleSources } from './bundle.ts';
import { openStage, type Played, type Scenario, type Stage, type StageOptions } from './harness.ts';
import { expectWhole } from './whole.ts';

/** Plays scenarios on a stage that the file's tests share, and holds every run to what is true of all. */
export function useStage(options: Pick<StageOptions, 'maxCachedWorkflows'> = {}): {
  play(scenario: Scenario): Promise<Played>;
} {
  let stage: Stage;
  beforeAll(async () => {
    const [{ address }, bundle] = await Promise.all([withTemporal(), bundleSources()]);
    stage = await openStage({ address, bundle, ...options });
  });
  afterAll(() => stage.close());
  return {
    play: async (scenario) => {
      const played = await stage.play(scenario);
      expectWhole(played);
      return played;
    },
  };
}

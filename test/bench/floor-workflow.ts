import { proxyActivities } from '@temporalio/workflow';

const { spawnTrue } = proxyActivities<{ spawnTrue(): Promise<number> }>({
  startToCloseTimeout: '1 minute',
  scheduleToStartTimeout: '10 minutes',
  retry: { maximumAttempts: 1 },
});

/** The floor: what the same processes cost as plain activities of a bare workflow. */
export async function floor(passes: number): Promise<void> {
  for (let pass = 0; pass < passes; pass += 1) {
    await spawnTrue();
    await spawnTrue();
  }
}

import { existsSync } from 'node:fs';

import { until } from '../faults/until.ts';

export async function untilExists(path: string): Promise<void> {
  await until(`${path} exists`, () => existsSync(path) || undefined);
}

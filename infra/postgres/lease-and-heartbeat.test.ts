import { expect, test } from 'vitest';
import { policy } from '#core/contract/policy.ts';
import { leaseSeconds } from '#infra/postgres/host-store.ts';

test('decision 15: the heartbeat of an attempt runs out after the lease of its host, never before', () => {
  expect(policy.attempt.heartbeat).toBeGreaterThan(leaseSeconds);
});

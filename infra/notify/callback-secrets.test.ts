import { expect, test } from 'vitest';
import { callbackSecrets } from '#infra/notify/callback-secrets.ts';

test('a reference is looked up where it says, and nowhere else', async () => {
  const stored = {
    ofRun: async (runId: string, names: readonly string[]) => [{ name: 'HOOK', value: `${runId} ${names.join()}` }],
  };
  const none = { ofRun: async () => [] };
  const environment = { HOOK: 'of the worker' };
  expect(await callbackSecrets(environment, stored)('env:HOOK', 'run_1')).toBe('of the worker');
  expect(await callbackSecrets(environment, stored)('secret:HOOK', 'run_1')).toBe('run_1 HOOK');
  expect(await callbackSecrets({}, stored)('env:HOOK', 'run_1')).toBeUndefined();
  expect(await callbackSecrets(environment, none)('secret:HOOK', 'run_1')).toBeUndefined();
});

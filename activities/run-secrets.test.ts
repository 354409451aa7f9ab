import { describe, expect, test } from 'vitest';
import type { Secret } from '#core/text/secret-forms.ts';
import { createRunSecrets } from '#activities/run-secrets.ts';

/** A host, what the store holds, and what it was asked. */
function host(stored: Secret[], named: string[] = []) {
  const asked: string[] = [];
  const store = {
    ofRun: async (_runId: string, names: readonly string[]) => {
      asked.push(names.join());
      return stored.filter(({ name }) => names.includes(name));
    },
    namedByRun: async () => {
      asked.push('names');
      return named;
    },
  };
  const environment = { GRANT: 'of the host', OTHER: 'open', EMPTY: '' };
  return { asked, secrets: createRunSecrets({ hostId: 'h1', environment, store }) };
}

const ofHost = { name: 'GRANT', value: 'of the host' };
const ofStore = { name: 'DEPLOY_KEY', value: 'of the store' };

describe('H4: what a step is granted', () => {
  test('the host comes first; the store is asked for the rest, and not at all without need', async () => {
    const { asked, secrets } = host([{ ...ofHost, value: 'another' }, ofStore, { name: 'EMPTY', value: 'not empty' }]);
    expect(await secrets.grant('run_1', [])).toEqual([]);
    expect(await secrets.grant('run_1', ['GRANT'])).toEqual([ofHost]);
    expect(asked).toEqual([]);
    const names = (await secrets.grant('run_1', ['DEPLOY_KEY', 'GRANT', 'EMPTY'])).map(({ value }) => value);
    expect(names.toSorted()).toEqual(['not empty', 'of the host', 'of the store']);
    expect(asked).toEqual(['DEPLOY_KEY,EMPTY']);
  });

  test('one that is nowhere is a fault that names it and what to do, before the run and in a step', async () => {
    const { secrets } = host([ofStore], ['DEPLOY_KEY', 'NOWHERE', 'ALSO']);
    const fault = {
      code: 'secret/not-found',
      message: expect.stringMatching(/NOWHERE, ALSO are .*h1.*setpoint secrets set NOWHERE/),
    };
    await expect(secrets.grant('run_1', ['NOWHERE', 'ALSO'])).rejects.toMatchObject(fault);
    await expect(secrets.requireAll('run_1')).rejects.toMatchObject(fault);
  });

  test('a value that could not be hidden is refused, wherever it comes from', async () => {
    const { secrets } = host([{ name: 'SHORT', value: 'abc' }]);
    for (const name of ['OTHER', 'SHORT']) {
      await expect(secrets.grant('run_1', [name])).rejects.toMatchObject({ code: 'schema/invalid' });
    }
  });
});

describe('H4: what is hidden in all that a run says', () => {
  test('all that its plan names, asked once; one that is not there is no fault', async () => {
    const { asked, secrets } = host([ofStore], ['DEPLOY_KEY', 'GRANT', 'NOWHERE']);
    await secrets.grant('run_1', ['GRANT']);
    expect(await secrets.known('run_1')).toEqual([ofHost, ofStore]);
    expect(await secrets.known('run_1')).toEqual([ofHost, ofStore]);
    expect(asked).toEqual(['names', 'DEPLOY_KEY,NOWHERE']);
  });

  test('once all are found to be there, the store is not asked again', async () => {
    const { asked, secrets } = host([ofStore], ['DEPLOY_KEY']);
    await secrets.requireAll('run_1');
    expect(await secrets.known('run_1')).toEqual([ofStore]);
    expect(asked).toEqual(['names', 'DEPLOY_KEY']);
  });

  test('a value that was replaced in the meantime, beside the new one', async () => {
    const stored = [ofStore];
    const { secrets } = host(stored, ['DEPLOY_KEY']);
    await secrets.known('run_1');
    stored[0] = { ...ofStore, value: 'the new one' };
    await secrets.grant('run_1', ['DEPLOY_KEY']);
    expect((await secrets.known('run_1')).map(({ value }) => value)).toEqual(['of the store', 'the new one']);
  });
});

import { describe, expect, test } from 'vitest';
import type { Secret } from '#core/text/secret-forms.ts';
import { grantedSecrets, hiddenSecrets, redactedReport } from '#activities/secrets.ts';

const environment = {
  ANTHROPIC_API_KEY: 'sk-of-one-agent',
  CURSOR_API_KEY: 'key-of-another',
  GRANT: 'granted',
  OTHER: 'open',
};

const granted: Secret[] = [{ name: 'GRANT', value: 'granted' }];

/** Which names the store was asked for, and a host that asks it. */
function host(stored: Secret[]) {
  const asked: string[][] = [];
  const ofRun = async (_runId: string, names: readonly string[]) => {
    asked.push([...names]);
    return stored.filter(({ name }) => names.includes(name));
  };
  return { asked, deps: { hostId: 'h1', environment, secrets: { ofRun, namedByRun: async () => [] } } };
}

describe('H4: what a step is granted', () => {
  test('the host comes first; the store is asked for the rest, and not at all without need', async () => {
    const { asked, deps } = host([
      { name: 'GRANT', value: 'of the store' },
      { name: 'DEPLOY_KEY', value: 'stored-key' },
    ]);
    expect(await grantedSecrets(deps, 'run_1', ['GRANT'])).toEqual(granted);
    expect(asked).toEqual([]);
    expect(await grantedSecrets(deps, 'run_1', ['DEPLOY_KEY', 'GRANT'])).toEqual([
      ...granted,
      { name: 'DEPLOY_KEY', value: 'stored-key' },
    ]);
    expect(asked).toEqual([['DEPLOY_KEY']]);
  });

  test('one that is nowhere is a fault that names it and what to do', async () => {
    const { deps } = host([]);
    await expect(grantedSecrets(deps, 'run_1', ['GRANT', 'NOWHERE', 'ALSO'])).rejects.toMatchObject({
      code: 'secret/not-found',
      message: expect.stringMatching(/NOWHERE, ALSO.*h1.*setpoint secrets set NOWHERE/),
    });
  });

  test('a value that could not be hidden is refused, wherever it comes from', async () => {
    const { deps } = host([{ name: 'SHORT', value: 'abc' }]);
    const short = expect.objectContaining({ code: 'schema/invalid' });
    await expect(grantedSecrets(deps, 'run_1', ['OTHER'])).rejects.toEqual(short);
    await expect(grantedSecrets(deps, 'run_1', ['SHORT'])).rejects.toEqual(short);
  });
});

describe('H4: what is hidden', () => {
  test('the sign-in of every agent and what the step was granted, each once', () => {
    const names = hiddenSecrets(environment, [...granted, { name: 'CURSOR_API_KEY', value: 'x' }]).map(
      ({ name }) => name,
    );
    expect(names.toSorted()).toEqual(['ANTHROPIC_API_KEY', 'CURSOR_API_KEY', 'GRANT']);
  });

  test('nothing of a report tells a secret: session, answer, error, denials', () => {
    const said = 'said sk-of-one-agent and granted';
    const report = redactedReport(
      {
        sessionId: said,
        finalText: said,
        terminalEvent: 'seen',
        error: { class: 'auth', message: said },
        denials: [said],
        permissionStop: false,
      },
      hiddenSecrets(environment, granted),
    );
    expect(JSON.stringify(report)).not.toMatch(/sk-of|granted/);
    expect(report.error).toEqual({ class: 'auth', message: 'said [redacted] and [redacted]' });
  });

  test('a report without an answer stays without one', () => {
    const report = { terminalEvent: 'missing' as const, denials: [], permissionStop: true };
    expect(redactedReport(report, hiddenSecrets(environment, []))).toEqual(report);
  });
});

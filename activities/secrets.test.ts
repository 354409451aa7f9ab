import { describe, expect, test } from 'vitest';
import type { Secret } from '#core/text/secret-forms.ts';
import { hiddenSecrets, redactedReport } from '#activities/secrets.ts';

const environment = {
  ANTHROPIC_API_KEY: 'sk-of-one-agent',
  CURSOR_API_KEY: 'key-of-another',
  GRANT: 'granted',
  OTHER: 'open',
};

const granted: Secret[] = [{ name: 'GRANT', value: 'granted' }];

describe('H4: what is hidden', () => {
  test('the sign-in of every agent and what the run was granted', () => {
    const names = hiddenSecrets(environment, granted).map(({ name }) => name);
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

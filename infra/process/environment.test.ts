import { describe, expect, test } from 'vitest';
import { buildEnvironment } from '#infra/process/environment.ts';

const host = {
  PATH: '/bin',
  LC_ALL: 'C',
  AWS_SECRET_ACCESS_KEY: 'no',
  GIT_DIR: '/x',
  HOME: '/root',
  NODE_OPTIONS: '-r x',
  SETPOINT_DATABASE_URL: 'no',
};

describe('H4, A13 the environment of a command', () => {
  test('T-30: holds the allow-list and the non-interactive contract, and nothing else of the host', () => {
    expect(buildEnvironment({ host, home: '/agent' })).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      HOME: '/agent',
      CI: 'true',
      TERM: 'dumb',
      NO_COLOR: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_EDITOR: 'true',
      PAGER: 'cat',
    });
  });

  test('the plan overrides the contract, and secrets win over the plan', () => {
    const env = buildEnvironment({
      host,
      home: '/agent',
      plan: { CI: 'false', TOKEN: 'plan' },
      secrets: [{ name: 'TOKEN', value: 'secret-value' }],
    });
    expect(env).toMatchObject({ CI: 'false', TOKEN: 'secret-value' });
  });

  test('an adapter may name more of the host', () => {
    expect(buildEnvironment({ host, home: '/agent', alsoFromHost: ['NODE_OPTIONS'] })).toMatchObject({
      NODE_OPTIONS: '-r x',
    });
  });

  test('a secret of fewer than six characters is refused, by name and without its value', () => {
    const build = () => buildEnvironment({ host, home: '/agent', secrets: [{ name: 'PIN', value: '12345' }] });
    expect(build).toThrow(/PIN has fewer than 6 characters/);
    expect(build).not.toThrow(/12345/);
  });
});

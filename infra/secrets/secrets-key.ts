import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Fault } from '#core/contract/fault.ts';
import type { Config } from '#infra/config.ts';
import { readIfThere, writeAtomically } from '#infra/stack/home-layout.ts';
import { type SecretsKey, secretsKeyBytes } from '#infra/secrets/sealed.ts';

const secretsKeyFile = (home: string): string => join(home, 'secrets.key');

/** Makes the key of a home (mode 600) unless there is one: for the embedded stack, whose processes share the home. */
export function ensureSecretsKey(home: string): void {
  const path = secretsKeyFile(home);
  if (readIfThere(path) === undefined) writeAtomically(path, randomBytes(secretsKeyBytes).toString('base64'));
}

/** The key under which secrets are stored: of the settings, else of the home. Faults: `secret/no-key`. */
export function readSecretsKey({ secretsKey, home }: Pick<Config, 'secretsKey' | 'home'>): SecretsKey {
  const path = secretsKeyFile(home);
  const given = secretsKey ?? readIfThere(path)?.trim();
  const remedy =
    'Set SETPOINT_SECRETS_KEY to the same 32 bytes in base64 for the API and all hosts: openssl rand -base64 32.';
  if (given === undefined) {
    throw new Fault('secret/no-key', `There is no key for stored secrets, neither set nor in ${path}. ${remedy}`);
  }
  const key = Buffer.from(given, 'base64');
  if (key.length === secretsKeyBytes) return key;
  throw new Fault('secret/no-key', `The key for stored secrets in ${path} is not 32 bytes in base64. ${remedy}`);
}

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { derivedKey } from '#infra/secrets/derived-key.ts';
import { seal, unseal } from '#infra/secrets/sealed.ts';
import { ensureSecretsKey, readSecretsKey } from '#infra/secrets/secrets-key.ts';

const key = Buffer.alloc(32, 1);
const place = { project: 'web', name: 'TOKEN' };
const noKey = expect.objectContaining({ code: 'secret/no-key' });

test('H4: a value comes back as it was, and no two sealings are alike', () => {
  const value = 'ключ\n\u0000 with every kind of character';
  const sealed = seal(key, place, value);
  expect(unseal(key, place, sealed)).toBe(value);
  expect(sealed.equals(seal(key, place, value))).toBe(false);
});

test('H4: what was changed, cut, moved to another place or sealed under another key is not opened', () => {
  const sealed = seal(key, place, 'a secret value');
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => unseal(key, place, changed)).toThrow(noKey);
  }
  expect(() => unseal(key, place, sealed.subarray(0, 20))).toThrow(noKey);
  expect(() => unseal(key, place, Buffer.alloc(0))).toThrow(noKey);
  expect(() => unseal(key, { ...place, project: 'other' }, sealed)).toThrow(noKey);
  expect(() => unseal(Buffer.alloc(32, 2), place, sealed)).toThrow(noKey);
});

test('the key of a home is made once, for its user alone; one that is set wins; without any it is said what to do', () => {
  const home = mkdtempSync(join(tmpdir(), 'setpoint-key-'));
  const path = join(home, 'secrets.key');
  const read = (secretsKey?: string) => readSecretsKey({ home, secretsKey });
  try {
    expect(() => read()).toThrow(expect.objectContaining({ message: expect.stringContaining('SETPOINT_SECRETS_KEY') }));
    ensureSecretsKey(home);
    const made = readFileSync(path, 'utf8');
    ensureSecretsKey(home);
    expect(readFileSync(path, 'utf8')).toBe(made);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(read().toString('base64')).toBe(made);
    expect(read(key.toString('base64')).equals(key)).toBe(true);
    writeFileSync(path, 'c2hvcnQ=');
    expect(() => read()).toThrow(noKey);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('E-24: every process that has the key derives the same other one for a purpose, and none for two', () => {
  const derived = derivedKey(key, 'confirmations');
  expect(derived).toHaveLength(32);
  expect(derivedKey(Buffer.from(key), 'confirmations').equals(derived)).toBe(true);
  expect(derivedKey(key, 'other').equals(derived)).toBe(false);
  expect(derived.equals(key)).toBe(false);
});

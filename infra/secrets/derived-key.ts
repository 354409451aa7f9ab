import { hkdfSync } from 'node:crypto';
import { type SecretsKey, secretsKeyBytes } from '#infra/secrets/sealed.ts';

/** Another key for another purpose, the same in every process that has the key: by HKDF-SHA256 (RFC 5869). */
export function derivedKey(key: SecretsKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `setpoint ${purpose}`, secretsKeyBytes));
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Fault } from '#core/contract/fault.ts';

/** 32 bytes that only the API and the hosts know. */
export type SecretsKey = Buffer;

export const secretsKeyBytes = 32;

/** What is sealed is bound to its place: moved to another row it cannot be opened. */
export interface SecretPlace {
  project: string;
  name: string;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** First byte of what is sealed: the way in which it was. */
const version = 1;

/** AES-256-GCM under a fresh nonce: version, nonce, tag, text. */
export function seal(key: SecretsKey, place: SecretPlace, value: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(bound(place));
  const text = Buffer.concat([sealing.update(value, 'utf8'), sealing.final()]);
  return Buffer.concat([Buffer.from([version]), nonce, sealing.getAuthTag(), text]);
}

/** The value again. Faults: `secret/no-key` when it was sealed under another key, for another place, or was changed. */
export function unseal(key: SecretsKey, place: SecretPlace, sealed: Buffer): string {
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
  try {
    if (sealed[0] !== version) throw new RangeError(`sealed in the way ${sealed[0]}`);
    const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
      .setAAD(bound(place))
      .setAuthTag(tag);
    return Buffer.concat([opening.update(sealed.subarray(1 + nonceBytes + tagBytes)), opening.final()]).toString(
      'utf8',
    );
  } catch (error) {
    throw new Fault(
      'secret/no-key',
      `The stored secret ${place.name} of project ${place.project} cannot be opened: the key here is not the one that sealed it. Give the same SETPOINT_SECRETS_KEY to the API and all hosts, or set the secret again.`,
      { cause: error },
    );
  }
}

function bound({ project, name }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([project, name]));
}

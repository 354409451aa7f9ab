import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, redactText } from '#core/text/redact.ts';
import { isLongEnoughForSecret, utf8, type Secret } from '#core/text/secret-forms.ts';

const multi: Secret = { name: 'S', value: 'line-one-abcdef\nline-two-ghijkl' };

function latin(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

function stream(secrets: readonly Secret[], bytes: Uint8Array, step: number): string {
  const redactor = createRedactor(secrets);
  let out = '';
  for (let at = 0; at < bytes.length; at += step) out += latin(redactor.push(bytes.subarray(at, at + step)));
  return out + latin(redactor.end());
}

const base64 = (bytes: Uint8Array) => btoaOf(bytes);
function btoaOf(bytes: Uint8Array): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const words = bits.match(/.{1,6}/g) ?? [];
  const text = words.map((word) => digits.charAt(Number.parseInt(word.padEnd(6, '0'), 2))).join('');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

describe('H4 redaction', () => {
  test.each([
    ['the whole value', `x ${multi.value} y`],
    ['one long line of it', 'got line-two-ghijkl here'],
    ['JSON-escaped', JSON.stringify({ key: multi.value })],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ key: multi.value }))],
    ['URL-encoded', `clone https://u:${encodeURIComponent(multi.value)}@host/x`],
    ['base64', base64(utf8(multi.value))],
    ['base64 with a suffix', base64(utf8(`${multi.value}\n`))],
    ['base64 after a user name', base64(utf8(`user:${multi.value}`))],
    ['base64 after a longer name', base64(utf8(`users:${multi.value}and more`))],
    ['base64 of one line, wrapped', base64(utf8(`ab${multi.value}`)).replace(/(.{7})/g, '$1\n')],
  ])('hides %s, in a stream of any chunks and in a whole text', (_name, text) => {
    for (const out of [
      stream([multi], utf8(text), 1),
      stream([multi], utf8(text), 7),
      stream([multi], utf8(text), 1e6),
      redactText(text, [multi]),
    ]) {
      expect(out).toContain('[redacted]');
      expect(out).not.toMatch(/one-abc|two-ghi/);
      expect(out.replaceAll('\n', '')).not.toContain(base64(utf8('line-one-abcdef\nline-two')).slice(4, 16));
    }
  });

  test('a secret that begins another, and one that overlaps another, leave nothing behind', () => {
    const secrets = ['abcdef', 'abcdefghij', 'defxyzuvw'].map((value) => ({ name: 'S', value }));
    expect(stream(secrets, utf8('1 abcdefghij 2 abcdefxyzuvw 3 abcdefgh'), 3)).toBe(
      '1 [redacted] 2 [redacted] 3 [redacted]gh',
    );
  });

  test('text without a secret passes unchanged, whatever the chunks', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), (bytes, step) => {
        expect(stream([{ name: 'S', value: 'zq-not-in-there-9431' }], bytes, step)).toBe(latin(bytes));
      }),
    );
  });

  test('how the stream is cut does not matter and no secret gets through', () => {
    const value = fc
      .string({ unit: fc.constantFrom('a', 'b', '-', '"', 'é'), minLength: 6, maxLength: 12 })
      .filter(isLongEnoughForSecret);
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 3 }),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '-', '\n') })),
        fc.integer({ min: 1, max: 9 }),
        (values, between, step) => {
          const secrets = values.map((secret) => ({ name: 'S', value: secret }));
          const text = between.map((part, index) => part + (values[index % values.length] ?? '')).join('');
          const out = stream(secrets, utf8(text), step);
          expect(out).toBe(stream(secrets, utf8(text), 1e6));
          for (const secret of values) expect(out).not.toContain(latin(utf8(secret)));
        },
      ),
    );
  });

  test('a value of fewer than six characters is not fit to be a secret', () => {
    expect(isLongEnoughForSecret('12345')).toBe(false);
    expect(isLongEnoughForSecret('123456')).toBe(true);
  });
});

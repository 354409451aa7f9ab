/** A secret as the host resolved it (H4). `name` is for messages; the value is never shown. */
export interface Secret {
  name: string;
  value: string;
}

/** H4: a shorter value would hide ordinary words, so it is refused as a secret. In characters. */
const shortestSecret = 6;
const shortestLine = 8;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The texts under which one secret can appear. `wrapped` forms (base64) may be broken by line ends anywhere. */
export interface SecretForms {
  plain: readonly string[];
  wrapped: readonly string[];
}

/** True when the value may be used as a secret (H4). */
export function isLongEnoughForSecret(value: string): boolean {
  return value.trim().length >= shortestSecret;
}

/**
 * Every form of a value that is hidden (H4): as it is, each long line of it, JSON-escaped, URL-encoded, and base64 in
 * each of the three alignments that it can have inside a longer encoded text (`user:secret`, a suffix).
 */
export function secretForms(value: string): SecretForms {
  const trimmed = value.trim();
  const lines = trimmed
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= shortestLine);
  const texts = new Set([value, trimmed, ...lines]);
  const plain = new Set<string>();
  const wrapped = new Set<string>();
  for (const text of texts) {
    for (const form of [text, jsonForm(text), jsonForm(jsonForm(text)), ...urlForms(text)]) plain.add(form);
    for (const form of base64Forms(utf8(text))) wrapped.add(form);
  }
  return { plain: longestFirst(plain), wrapped: longestFirst(wrapped) };
}

/** UTF-8 bytes of a text; a lone surrogate becomes U+FFFD, as every encoder of the platform does. */
export function utf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const point = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), continuation(point));
    else if (point < 0x1_0000) bytes.push(0xe0 | (point >> 12), continuation(point >> 6), continuation(point));
    else bytes.push(0xf0 | (point >> 18), continuation(point >> 12), continuation(point >> 6), continuation(point));
  }
  return Uint8Array.from(bytes);
}

function continuation(point: number): number {
  return 0x80 | (point & 0x3f);
}

function longestFirst(forms: ReadonlySet<string>): string[] {
  return [...forms].filter((form) => form.length >= shortestSecret).toSorted((a, b) => b.length - a.length);
}

function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function urlForms(text: string): string[] {
  const percent = [...utf8(text)].map((byte) => percentForm(byte)).join('');
  const strict = percent.replace(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const lower = (form: string) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const forms = [percent, strict, percent.replaceAll('%20', '+'), strict.replaceAll('%20', '+')];
  return [...forms, ...forms.map(lower)];
}

function percentForm(byte: number): string {
  const char = String.fromCharCode(byte);
  return /[A-Za-z0-9\-_.!~*'()]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const form = alignedBase64(bytes, offset);
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Only the characters that the value alone decides: neighbours before and after it do not change them. */
function alignedBase64(bytes: Uint8Array, offset: number): string {
  const shifted = new Uint8Array(offset + bytes.length);
  shifted.set(bytes, offset);
  const first = Math.ceil((offset * 8) / 6);
  const count = Math.floor((shifted.length * 8) / 6);
  let out = '';
  for (let index = first; index < count; index += 1) {
    const bit = index * 6;
    const at = bit >> 3;
    const pair = ((shifted[at] ?? 0) << 8) | (shifted[at + 1] ?? 0);
    out += alphabet.charAt((pair >> (10 - (bit & 7))) & 0x3f);
  }
  return out;
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextNormaliser, normaliseText } from '#core/text/normalise.ts';

describe('A9 text before match', () => {
  test.each([
    [
      'colour codes do not stop a pattern (R003)',
      '\u001b[1m\u001b[31m2 failed\u001b[39m\u001b[22m, 5 passed\n',
      '2 failed, 5 passed\n',
    ],
    ['OSC titles and links, ended by BEL or ST', '\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b', 'ab'],
    ['DCS and charset selections', '\u001bPq#0\u001b\\x\u001b(By', 'xy'],
    ['eight-bit CSI', 'a\u009b31mb', 'ab'],
    ['CRLF is LF', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['a line rewritten with CR keeps its last state', '10%\r50%\r100%\ndone', '100%\ndone'],
    ['a CR at the very end rewrites nothing', 'abc\r', 'abc'],
    ['an erased progress line is gone', 'working\r\u001b[K\nnext', '\nnext'],
    ['a whole-line erase', 'working\u001b[2K\rdone\n', 'done\n'],
    ['NUL is visible', 'a\u0000b', 'a\u2400b'],
    ['an unfinished escape string ends with its line', '\u001b]0;never ends\nFAIL', '\nFAIL'],
    ['a lone escape before text is dropped', 'a\u001b\nb', 'a\nb'],
  ])('%s', (_name, raw, expected) => {
    expect(normaliseText(raw)).toBe(expected);
  });

  test('how the text is cut into chunks does not matter', () => {
    const piece = fc.constantFrom(
      '\u001b',
      '[',
      '31',
      'm',
      '2K',
      ']',
      '0;t',
      '\u0007',
      '\\',
      '\r',
      '\n',
      '\u0000',
      'abc',
      '\u009b',
      '(',
      '😀',
      'K',
      'P',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(120), { maxLength: 10 }), (pieces, cuts) => {
        const text = pieces.join('');
        const normaliser = createTextNormaliser();
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
        const parts = places.slice(1).map((end, index) => normaliser.push(text.slice(places[index], end)));
        expect(parts.join('') + normaliser.end()).toBe(normaliseText(text));
      }),
    );
  });

  test('a line of any length is handed on in pieces, whatever the chunks', () => {
    const normaliser = createTextNormaliser();
    let out = '';
    for (let index = 0; index < 300; index += 1) out += normaliser.push('x'.repeat(1_000));
    expect(out.length).toBeGreaterThan(200_000);
    expect(out + normaliser.end()).toBe('x'.repeat(300_000));
  });

  test('nothing but visible text, tabs and line ends is left of any mix of escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // oxlint-disable-next-line no-control-regex -- the test looks for control characters
        expect(normaliseText(text)).not.toMatch(/[\u0000\r\u001b\u009b\u009d]/);
      }),
    );
  });
});

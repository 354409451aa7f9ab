import fc from 'fast-check';
import { expect, test } from 'vitest';

import { renderPrompt } from '#core/template/render.ts';
import { literally, withNames } from '#dialects/source/template-text.ts';

test('a literal text renders to itself, whatever it holds', () => {
  const text = fc
    .array(fc.constantFrom('{{', '}}', '\\', '{', '#if x', '/if', 'a', '$&', '\n'))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, (written) => {
      expect(renderPrompt(literally(written), {})).toBe(written);
    }),
  );
});

test('values are renamed where they are named, and nowhere else', () => {
  const template =
    'vars.x {{vars.x}} {{ vars.x | raw }} {{#if vars.x}}{{vars.xy}}{{/if}} \\{{vars.x}} {{if}}{{#if if}}{{/if}}';
  expect(withNames(template, (path) => (path === 'vars.x' ? 'inputs.x' : path === 'if' ? 'when' : path))).toBe(
    'vars.x {{inputs.x}} {{ inputs.x | raw }} {{#if inputs.x}}{{vars.xy}}{{/if}} \\{{vars.x}} {{when}}{{#if when}}{{/if}}',
  );
});

test('a template that is not closed keeps its text', () => {
  expect(withNames('a {{vars.x}} {{oops', () => 'b')).toBe('a {{b}} {{oops');
});

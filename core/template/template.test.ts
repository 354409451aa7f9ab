import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { Fault } from '#core/contract/fault.ts';
import { literalTemplate } from '#core/template/literal.ts';
import { parseTemplate } from '#core/template/parse.ts';
import { outputsNeeded, templateReferences } from '#core/template/references.ts';
import { renderCommand, renderPrompt, templateScope } from '#core/template/render.ts';
import { insertionsInQuotes } from '#core/template/shell-context.ts';

const scope = templateScope({
  inputs: { issue: 'Fix it', empty: '' },
  outputs: { plan: 'A plan' },
  feedback: '',
  iteration: 0,
  run: { id: 'run_1', name: 'Feature' },
});

describe('a prompt', () => {
  test('inserts inputs, outputs, feedback, iteration and the run (V-20, V-21)', () => {
    const template = '{{inputs.issue}}|{{ steps.plan.output }}|{{feedback}}|{{loop.iteration}}|{{run.id}}|{{run.name}}';
    expect(renderPrompt(template, scope)).toBe('Fix it|A plan||0|run_1|Feature');
  });

  test('inserts what a child run gave by name, and the item of a list with its place, counted from 0', () => {
    const of = { inputs: {}, feedback: '', iteration: 0, run: { id: 'run_1', name: 'Feature' } };
    const values = { ...of, outputs: { audit: 'whole', 'audit.outputs.report': 'named' } };
    const template = '{{steps.audit.output}}|{{steps.audit.outputs.report}}|{{item}}|{{index}}';
    expect(outputsNeeded(template)).toEqual(['audit', 'audit.outputs.report']);
    expect(renderPrompt(template, templateScope(values))).toBe('whole|named||');
    const item = { text: 'a {{b}}', index: 0 };
    expect(renderPrompt(template, templateScope({ ...values, item }))).toBe('whole|named|a {{b}}|0');
    const fields = { text: '{"path":"src/a b","n":2}', index: 1 };
    expect(renderPrompt('{{item.path}}|{{item.n}}|{{item.x}}', templateScope({ ...values, item: fields }))).toBe(
      'src/a b|2|',
    );
  });

  test('any text can be written as a template that gives it unchanged', () => {
    const piece = fc.constantFrom('{{', '}}', '{', '}', '\\', '#if ', '/if', '{{feedback}}', '$&', 'x', ' ', '\n');
    const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(renderPrompt(literalTemplate(text), scope)).toBe(text);
      }),
    );
  });

  test('a value that is not there is empty', () => {
    expect(renderPrompt('[{{steps.later.output}}][{{inputs.toString}}]', scope)).toBe('[][]');
  });

  test('#if holds unless the value is empty, 0 or false, and nests', () => {
    const template = 'a{{#if inputs.issue}}b{{#if inputs.empty}}c{{/if}}d{{/if}}{{#if loop.iteration}}e{{/if}}f';
    expect(renderPrompt(template, scope)).toBe('abdf');
    expect(renderPrompt(template, { ...scope, 'loop.iteration': '1', 'inputs.empty': 'x' })).toBe('abcdef');
  });

  test('truncate keeps the first N characters, never half of a pair, and says what is cut', () => {
    const long = { 'inputs.x': 'ab😀cdef' };
    expect(renderPrompt('{{inputs.x | truncate:2}}', long)).toBe('ab\n[… 6 more characters]');
    expect(renderPrompt('{{inputs.x | truncate:3}}', long)).toBe('ab\n[… 6 more characters]');
    expect(renderPrompt('{{inputs.x | truncate:8}}', long)).toBe('ab😀cdef');
  });

  test('\\{{ is a literal {{', () => {
    expect(renderPrompt('\\{{.Names}} {{inputs.issue}} }}', scope)).toBe('{{.Names}} Fix it }}');
  });

  test('insertion is literal and single-pass for any text (A11)', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom('$&', '$$', '$1', '{{inputs.b}}', '{{#if x}}', '\\{{', '{{/if}}'),
    );
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const rendered = renderPrompt('<{{inputs.a}}-{{#if run.id}}{{inputs.b}}{{/if}}>', {
          'inputs.a': a,
          'inputs.b': b,
          'run.id': 'r',
        });
        expect(rendered).toBe(`<${a}-${b}>`);
      }),
    );
  });

  test('a text without {{ is itself (A11)', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('{{'));
        expect(renderPrompt(text, {})).toBe(text);
      }),
    );
  });

  test('a template that does not parse is a fault, never half a prompt', () => {
    expect(() => renderPrompt('{{feedback', scope)).toThrow(Fault);
  });
});

describe('parsing', () => {
  test.each([
    ['{{feedback', 'template/unclosed', 0],
    ['a {{ }}', 'template/bad-tag', 2],
    ['{{.Names}}', 'template/bad-tag', 0],
    ['{{#each x}}', 'template/bad-tag', 0],
    ['{{else}}', undefined, 0],
    ['ab{{x | upper}}', 'template/unknown-filter', 2],
    ['{{x | truncate}}', 'template/unknown-filter', 0],
    ['{{x | truncate:0}}', 'template/unknown-filter', 0],
    ['{{#if x}}', 'template/unclosed-if', 0],
    ['x{{/if}}', 'template/unclosed-if', 1],
    ['{{#if x}}'.repeat(33) + '{{/if}}'.repeat(33), 'template/too-deep', 32 * 9],
  ])('%j', (template, code, offset) => {
    const { issues } = parseTemplate(template);
    expect(issues.map((issue) => issue.code)).toEqual(code === undefined ? [] : [code]);
    if (code !== undefined) expect(issues[0]?.offset).toBe(offset);
  });

  test('never throws and is linear in the length', { timeout: 5000 }, () => {
    const piece = fc.constantFrom('{{', '}}', '{{#if a}}', '{{/if}}', '|', 'raw', '\\', 'a.b', ' ', "'");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { parts } = parseTemplate(pieces.join(''));
        expect(insertionsInQuotes(parts)).toBeInstanceOf(Array);
      }),
    );
    expect(parseTemplate('{{#if a}}x{{/if}}'.repeat(60_000)).issues).toEqual([]);
    expect(parseTemplate('{{'.repeat(500_000)).issues).toHaveLength(1);
  });

  test('references tell which values a template needs', () => {
    const template = '{{inputs.a}}{{#if steps.b.output}}{{steps.b.output | raw}}{{/if}}{{steps.c.output}}';
    expect(templateReferences(template)).toMatchObject([
      { path: 'inputs.a', offset: 0 },
      { path: 'steps.b.output' },
      { path: 'steps.b.output' },
      { path: 'steps.c.output' },
    ]);
    expect(outputsNeeded(template)).toEqual(['b', 'c']);
  });
});

describe('a command', () => {
  const hostile = { 'inputs.x': "a b'; touch owned; $(date)", 'steps.s.output': 'x; y' };

  test('an inserted value is one quoted word unless raw (A11)', () => {
    expect(renderCommand('echo {{inputs.x}}', hostile)).toBe(`echo 'a b'\\''; touch owned; $(date)'`);
    expect(renderCommand('echo {{steps.s.output | raw}}', hostile)).toBe('echo x; y');
    expect(renderCommand('{{steps.s.output}}', hostile)).toBe("'x; y'");
  });

  test('a command that is one input alone is that input’s text', () => {
    expect(renderCommand('{{inputs.x}}', { 'inputs.x': 'npm test' })).toBe('npm test');
    expect(renderCommand('{{inputs.x}} --all', { 'inputs.x': 'npm test' })).toBe("'npm test' --all");
  });

  test.each([
    ['echo {{run.id}}', []],
    ['echo "{{run.id}}"', ['double quotes']],
    ["echo '{{run.id}}'", ['single quotes']],
    ['echo "$(cat {{run.id}})"', []],
    ['echo "a $(cat "{{run.id}}") b"', ['double quotes']],
    ['echo "a" {{run.id}} \'b\' {{run.id}}', []],
    ['echo \\" {{run.id}}', []],
    ['echo "a\\"{{run.id}}"', ['double quotes']],
    ["# don't\necho {{run.id}}", []],
    ['cat <<EOF\n{{run.id}}\nEOF\necho {{run.id}}', ['a here-document']],
    ["cat <<'EOF' | sh\nit's\nEOF\necho {{run.id}}", []],
    ['cat <<< {{run.id}}', []],
    ['echo "{{run.id | raw}}"', []],
    ['(echo {{run.id}}); case $a in b) echo {{run.id}};; esac', []],
  ])('%s: an insertion that quotes would not protect is found', (command, inside) => {
    const found = insertionsInQuotes(parseTemplate(command).parts);
    expect(found.map((insertion) => insertion.inside)).toEqual(inside);
  });
});

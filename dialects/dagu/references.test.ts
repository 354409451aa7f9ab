import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readReferences } from '#dialects/dagu/references.ts';
import { ShellContext } from '#dialects/dagu/shell-context.ts';

/** Each piece in short: text as it is, `<name>` for a variable, `<a.b>` for a value. */
const short = (text: string): string[] =>
  readReferences(text).map((piece) => {
    if (piece.kind === 'text') return piece.text;
    return `<${piece.kind === 'value' ? piece.path : piece.name}>`;
  });

describe('references in a text', () => {
  test.each([
    ['echo ${params.x} to ${HOST}:$PORT', ['echo ', '<params.x>', ' to ', '<HOST>', ':', '<PORT>']],
    ['${RESULT.items[0].name}', ['<RESULT.items.0.name>']],
    ['${steps.build-all.outputs.image}', ['<steps.build-all.outputs.image>']],
    ['${x:-y} ${#x} ${x%.*} ${list[@]} $(date) $1 $? 5$', ['${x:-y} ${#x} ${x%.*} ${list[@]} $(date) $1 $? 5$']],
    ['${x:-${HOST}}', ['${x:-', '<HOST>', '}']],
    ['\\${params.x} \\\\${params.x} \\$HOST', ['${params.x}', ' \\\\', '<params.x>', ' \\$HOST']],
    ['', []],
  ])('%s', (text, pieces) => {
    expect(short(text).join('|')).toBe(pieces.join('|'));
  });

  test('nothing of a text is lost', () => {
    const piece = fc.constantFrom('${', '}', 'a.b', '$', 'HOST', '{', ' ', '\n', '[0]', '.');
    const texts = fc.array(piece, { maxLength: 15 }).map((pieces) => pieces.join(''));
    const whole = (text: string): string =>
      readReferences(text)
        .map((each) => (each.kind === 'text' ? each.text : each.source))
        .join('');
    expect(fc.check(fc.property(texts, (text) => whole(text) === text)).failed).toBe(false);
  });
});

test('a text of backslashes is read as fast as any other', () => {
  const begun = performance.now();
  expect(readReferences('\\'.repeat(400_000))).toHaveLength(1);
  expect(performance.now() - begun).toBeLessThan(5000);
});

describe('the place in a shell text', () => {
  test.each([
    ['echo ', 'bare'],
    ['echo "', 'double'],
    ["echo '", 'single'],
    [`echo "it's `, 'double'],
    [`echo 'a' "b" `, 'bare'],
    ['echo "$(cat ', 'bare'],
    ['echo "$(cat x) ', 'double'],
    ['echo a # it is ', 'comment'],
    ['echo a#', 'bare'],
    ['# a comment\necho ', 'bare'],
    [String.raw`echo \"`, 'bare'],
    ['cat <<EOF\n', 'document'],
    ["cat <<'EOF'\n", 'literal-document'],
    ["cat <<'EOF' > x\ntext\nEOF\n", 'bare'],
    ['cat <<-"END"\n\ttext\n\tEND\necho ', 'bare'],
    ["cat <<A <<'B'\nx\nA\n", 'literal-document'],
    ['cat <<< "', 'double'],
  ])('%j', (text, place) => {
    const context = new ShellContext();
    context.read(text);
    expect(context.place()).toBe(place);
  });
});

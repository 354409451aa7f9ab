import { literalTemplate } from '#core/template/literal.ts';

/** C-12. After `{` or `\` it is text: no template could put a value there. */
const placeholder = /(?<![{\\])\{(stdout|stderr|exitCode|actual|expected|compareSource)\}/;

/** A retry prompt as a template. `{x}` that is no placeholder stays text, and so does `{{`. */
export function withPlaceholders(text: string): string {
  // The pattern has one group: at odd places stand the names of the placeholders.
  const pieces = text.split(placeholder);
  return pieces.map((piece, index) => (index % 2 === 0 ? literalTemplate(piece) : insertion(piece))).join('');
}

/** What a failed validation asks when the file has no words for it: the prompt again, with what was found. */
export function afterFailure(prompt: string): string {
  const [actual, expected] = [insertion('actual'), insertion('expected')];
  const lines = [
    literalTemplate(prompt.trimEnd()),
    '',
    `The validation of this step failed: it expects ${expected}, and found ${actual}.`,
    '',
    'stdout:',
    insertion('stdout'),
    '',
    'stderr:',
    insertion('stderr'),
  ];
  return lines.join('\n');
}

function insertion(name: string): string {
  return `{{condition.${name}}}`;
}

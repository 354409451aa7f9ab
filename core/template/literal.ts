/** A text as a template that gives exactly this text: nothing in it is a value, an `#if` or an escape (A11). */
export function literalTemplate(text: string): string {
  return text.replaceAll('{{', String.raw`\{{`);
}

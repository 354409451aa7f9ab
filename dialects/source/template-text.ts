import { parseTemplate } from '#core/template/parse.ts';

/** A text of a system that knows no templates, as the template that renders to it. */
export function literally(text: string): string {
  return text.replaceAll('{{', '\\{{');
}

/** The template with each value that it names under its name here; everything else stays as it is written. */
export function withNames(template: string, nameOf: (path: string) => string): string {
  const pieces: string[] = [];
  let done = 0;
  for (const part of parseTemplate(template).parts) {
    if (part.kind !== 'insert' && part.kind !== 'if') continue;
    const at = template.indexOf(part.path, part.offset + (part.kind === 'if' ? '{{#if'.length : '{{'.length));
    if (at < done) continue;
    pieces.push(template.slice(done, at), nameOf(part.path));
    done = at + part.path.length;
  }
  return pieces.join('') + template.slice(done);
}

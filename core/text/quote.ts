const lineCharacters = 500;

/** A text as data between fences of ours: its own fences cannot close them. */
export function fenced(text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A text that can hold words of the work (a file's name, a provider's message): one line, quoted, that opens nothing. */
export function inlineQuote(text: string): string {
  const line = oneLine(text, lineCharacters);
  if (line === '') return '';
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const quote = '`'.repeat(longest + 1);
  const space = longest === 0 ? '' : ' ';
  return `${quote}${space}${line}${space}${quote}`;
}

/** A text in one line without control characters, cut after so many characters. */
export function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

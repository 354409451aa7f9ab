/**
 * A9, R001: what a text harness printed without the exact copies of its prompt in it. `isEnd` says that the text is the end of
 * a longer one: then it may begin in the middle of a copy, of which the rest is left out, too.
 */
export function withoutEcho(text: string, prompt: string, isEnd: boolean): string {
  const echoed = prompt.trim();
  if (echoed === '') return text;
  const rest = text.replaceAll(echoed, () => '');
  return isEnd ? rest.slice(overlap(echoed, rest)) : rest;
}

/** How much of the end of `before` is the beginning of `after`: Knuth, Morris and Pratt's table, so in one pass over each. */
function overlap(before: string, after: string): number {
  const failure = [0];
  const longer = (matched: number, next: string | undefined): number => {
    let length = matched;
    while (length > 0 && after[length] !== next) length = failure[length - 1] ?? 0;
    return after[length] === next ? length + 1 : 0;
  };
  for (let at = 1; at < after.length; at += 1) failure.push(longer(failure[at - 1] ?? 0, after[at]));
  const end = before.slice(Math.max(0, before.length - after.length));
  let matched = 0;
  for (const next of end.split(''))
    matched = longer(matched === after.length ? (failure[matched - 1] ?? 0) : matched, next);
  return matched;
}

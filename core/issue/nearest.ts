/** More names than this are not all compared, so that ten thousand unknown names stay cheap. */
const namesCompared = 300;
const longestName = 64;

/**
 * The known name that is most likely meant by `word`, or undefined when none is close: at most a third of its letters
 * differ, a swap of neighbours counting as one and capitals as none.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > longestName) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  let compared = 0;
  for (const name of known) {
    if (compared >= namesCompared) break;
    compared += 1;
    if (Math.abs(name.length - word.length) >= bestDistance) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance < bestDistance) {
      bestDistance = distance;
      best = name;
    }
  }
  return best;
}

/** `; did you mean \`checks\`?`, or nothing: made to follow a statement that names the unknown word. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const name = nearest(word, known);
  return name === undefined ? '' : `; did you mean \`${name}\`?`;
}

/** Damerau's distance (optimal string alignment) over three rows. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      row[j] = Math.min(
        cell(last, j) + 1,
        cell(row, j - 1) + 1,
        cell(last, j - 1) + (same ? 0 : 1),
        swapped ? cell(beforeLast, j - 2) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = row;
  }
  return cell(last, right.length);
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}

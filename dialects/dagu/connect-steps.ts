import { didYouMean } from '#core/issue/nearest.ts';
import type { WrittenStep } from '#dialects/dagu/read-steps.ts';
import type { Ids } from '#dialects/dagu/step-ids.ts';
import type { Reading } from '#dialects/source/reading.ts';

/** `depends` by id or name; in a chain a step without it comes after those of the place before. */
export function connect(
  steps: readonly WrittenStep[],
  places: readonly number[] | undefined,
  { words }: Ids,
  reading: Reading,
): void {
  let unknown = 0;
  for (const [index, step] of steps.entries()) {
    const { depends } = step.read;
    if (depends === undefined) {
      step.after.push(...(places === undefined ? [] : beforeInChain(steps, places, index)));
      continue;
    }
    for (const { text, path } of depends) {
      const id = words.get(text);
      if (id !== undefined) step.after.push(id);
      else {
        unknown += 1;
        const hint = unknown > 100 ? '' : didYouMean(text, words.keys());
        reading.report(path, 'step/unknown', `there is no step \`${text.slice(0, 80)}\`${hint}`);
      }
    }
  }
}

function beforeInChain(steps: readonly WrittenStep[], places: readonly number[], index: number): string[] {
  const before: string[] = [];
  let last = index - 1;
  while (last >= 0 && places[last] === places[index]) last -= 1;
  for (let at = last; at >= 0 && places[at] === places[last]; at -= 1) before.unshift(steps[at]?.id ?? '');
  return before;
}

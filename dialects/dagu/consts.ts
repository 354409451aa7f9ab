import { didYouMean } from '#core/issue/nearest.ts';
import type { NamedText } from '#dialects/dagu/variables.ts';
import type { Reading } from '#dialects/source/reading.ts';

/** The constants of a file by name; each may be made of those before it. */
export function constsOf(written: readonly NamedText[] = [], reading: Reading): ReadonlyMap<string, string> {
  const consts = new Map<string, string>();
  for (const { name, value } of written) {
    const text = value.text.replaceAll(/\$\{consts\.([A-Za-z_]\w*)\}/g, (source, other: string) => {
      const known = consts.get(other);
      if (known !== undefined) return known;
      const hint = didYouMean(other, consts.keys()) || '; a constant is made of those before it';
      reading.report(value.path, 'template/unknown-root', `\`${source}\`: \`${other}\` is not known${hint}`);
      return source;
    });
    consts.set(name, text);
  }
  return consts;
}

/** `90s`, `15m`, `2h`, `3d`: the largest unit that says it exactly. */
export function durationText(seconds: number): string {
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
  ] as const) {
    if (seconds >= size && seconds % size === 0) return `${seconds / size}${unit}`;
  }
  return `${seconds}s`;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90s`, `15m`, `2h`, `3d` in seconds; undefined for what is none. */
export function durationSeconds(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)([smhd])$/.exec(text.trim());
  const unit = unitSeconds[match?.[2] ?? ''];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
}

/** `5 USD` in USD, above zero; undefined for what is none. */
export function amountUsd(text: string): number | undefined {
  const amount = Number(/^(\d{1,9}(?:\.\d{1,6})?) ?USD$/.exec(text.trim())?.[1] ?? 0);
  return amount > 0 ? amount : undefined;
}

/** `512 KiB`: what is more than so many is told as the next one. */
export function kibibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}

/** `1 pass`, `5 passes`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Further lines of a text moved right, so that it reads as one block. */
export function indented(text: string, by = 4): string {
  return text.trimEnd().replaceAll(/\n(?!\n)/g, `\n${' '.repeat(by)}`);
}

/** Text in double quotes, on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One line of the table: what was measured, and what it may be at most (or at least). */
export interface Figure {
  what: string;
  value: string;
  goal: string;
  met: boolean | null;
}

export function atMost(what: string, value: number, goal: number, unit: string): Figure {
  return { what, value: `${value.toFixed(2)} ${unit}`, goal: `<= ${goal} ${unit}`, met: value <= goal };
}

export function atLeast(what: string, value: number, goal: number, unit: string): Figure {
  return { what, value: `${value.toFixed(2)} ${unit}`, goal: `>= ${goal} ${unit}`, met: value >= goal };
}

export function told(what: string, value: string): Figure {
  return { what, value, goal: '', met: null };
}

/** The table as Markdown. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, goal, met }) => {
    const verdict = met === null ? '' : met ? 'met' : '**missed**';
    return `| ${what} | ${value} | ${goal} | ${verdict} |`;
  });
  return ['| what | measured | goal | |', '|---|---|---|---|', ...rows].join('\n');
}

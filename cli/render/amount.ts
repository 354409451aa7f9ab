import type { Spend } from '#core/run/attempt-result.ts';

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, from milliseconds. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `0.12 USD`; small amounts keep four places. */
export function money(usd: number): string {
  return `${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)} USD`;
}

/** What an attempt cost, or empty when it cost nothing that was told. */
export function spent(spend: Spend): string {
  const tokens = spend.inputTokens + spend.outputTokens;
  if (spend.usd !== undefined && spend.usd > 0) return `${spend.estimated ? 'about ' : ''}${money(spend.usd)}`;
  return tokens > 0 ? `${tokens} tokens` : '';
}

/** `1 pass`, `2 passes`. */
export function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

export interface ResetTime {
  resetAt?: string;
  retryAfterSeconds?: number;
}

/**
 * When a provider's window opens again, read from its error message and Retry-After header (E6).
 * The header wins. A relative time is `retryAfterSeconds`; an instant, or a wall time with its zone, is `resetAt`.
 * A wall time without a zone is no time: the answer is empty. `now` is in epoch milliseconds.
 */
export function resetTime(message: string, now: number, retryAfter?: string): ResetTime {
  return (
    (retryAfter === undefined ? undefined : headerTime(retryAfter)) ??
    epochTime(message) ??
    isoTime(message) ??
    zonedTime(message, now) ??
    relativeTime(message) ??
    {}
  );
}

function headerTime(value: string): ResetTime | undefined {
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return { retryAfterSeconds: Math.ceil(Number(value)) };
  const at = /GMT|Z$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : { resetAt: new Date(at).toISOString() };
}

/** `usage limit reached|1796040000`: seconds since the epoch. */
function epochTime(message: string): ResetTime | undefined {
  const found = /limit reached\|(\d{10})\b/.exec(message)?.[1];
  return found === undefined ? undefined : { resetAt: new Date(Number(found) * 1000).toISOString() };
}

function isoTime(message: string): ResetTime | undefined {
  const found =
    /(?:reset|again|until|after)\D{0,20}(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))/i.exec(
      message,
    )?.[1];
  if (found === undefined) return undefined;
  const at = Date.parse(found);
  return Number.isNaN(at) ? undefined : { resetAt: new Date(at).toISOString() };
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `try again in 2 days 3 hours 5 minutes`, `retry in 34.07s`, `resets in 3h 20m`, `"retryDelay": "34s"`, `Retry-After: 120`. */
function relativeTime(message: string): ResetTime | undefined {
  const header = /retry-after["']?\s*[:=]\s*["']?(\d+)/i.exec(message)?.[1];
  if (header !== undefined) return { retryAfterSeconds: Number(header) };
  const amount = String.raw`\d+(?:\.\d+)?\s*(?:days?|hours?|hrs?|h|minutes?|mins?|min|m|seconds?|secs?|s|d)\b`;
  const phrase = new RegExp(
    String.raw`(?:(?:again|retry|resets?|wait)(?:\s+in)?\s+|retryDelay["']?\s*:\s*["']?)((?:${amount}[\s,and]*)+)`,
    'i',
  ).exec(message)?.[1];
  if (phrase === undefined) return undefined;
  let seconds = 0;
  for (const [, value, unit] of phrase.matchAll(/(\d+(?:\.\d+)?)\s*([a-z])/gi)) {
    seconds += Number(value) * (unitSeconds[(unit ?? '').toLowerCase()] ?? 0);
  }
  return seconds > 0 ? { retryAfterSeconds: Math.ceil(seconds) } : undefined;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

interface WallTime {
  month?: number;
  day?: number;
  hour: number;
  minute: number;
}

/** `resets 11:30pm (Europe/Berlin)`, `resets Dec 3, 9am (UTC)`, `resets at 23:30 UTC`: the next such moment after `now`. */
function zonedTime(message: string, now: number): ResetTime | undefined {
  const found =
    /(?:resets?|again|until)(?:\s+(?:at|on))?\s+(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*([ap]m)?\s*\(?((?:[a-z_]+\/[a-z_/+-]+)|utc|gmt)\b\)?/i.exec(
      message,
    );
  if (found === null) return undefined;
  const [, month, day, hour, minute, half, zone = ''] = found;
  const wall = wallTime({ month, day, hour, minute, half });
  const offset = zoneOffsets(zone);
  if (wall === undefined || offset === undefined) return undefined;
  const at = nextMoment(wall, now, offset);
  return { resetAt: new Date(at).toISOString() };
}

function wallTime(
  said: Record<'month' | 'day' | 'hour' | 'minute' | 'half', string | undefined>,
): WallTime | undefined {
  const half = said.half?.toLowerCase();
  const shown = Number(said.hour);
  if (half === undefined ? shown > 23 : shown < 1 || shown > 12) return undefined;
  const hour = half === undefined ? shown : (shown % 12) + (half === 'pm' ? 12 : 0);
  const time = { hour, minute: Number(said.minute ?? 0) };
  if (said.month === undefined) return time;
  const month = months.indexOf(said.month.toLowerCase());
  return month < 0 ? undefined : { ...time, month, day: Number(said.day) };
}

/** The zone's offset from UTC in milliseconds at an instant; undefined for a zone that is not known. */
function zoneOffsets(zone: string): ((at: number) => number) | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return (at) => {
    const parts = new Map(format.formatToParts(at).map((part) => [part.type, Number(part.value)]));
    const read = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const wall = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
    return wall - Math.floor(at / 1000) * 1000;
  };
}

function nextMoment(wall: WallTime, now: number, offset: (at: number) => number): number {
  const instant = (year: number, month: number, day: number): number => {
    const asUtc = Date.UTC(year, month, day, wall.hour, wall.minute);
    // Twice: the first offset is that of another instant, which may lie on the other side of a clock change.
    return asUtc - offset(asUtc - offset(asUtc));
  };
  const local = new Date(now + offset(now));
  const year = local.getUTCFullYear();
  if (wall.month !== undefined && wall.day !== undefined) {
    const at = instant(year, wall.month, wall.day);
    // A date a little in the past is a window that has just opened, not next year's.
    return at < now - 7 * 86_400_000 ? instant(year + 1, wall.month, wall.day) : at;
  }
  const today = instant(year, local.getUTCMonth(), local.getUTCDate());
  return today > now ? today : instant(year, local.getUTCMonth(), local.getUTCDate() + 1);
}

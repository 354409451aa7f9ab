import { present } from '#core/definition/present.ts';
import type { Triggers } from '#core/plan/plan.ts';
import { mappingOf } from '#dialects/dagu/keys.ts';

import type { Field, Reading } from '#dialects/source/reading.ts';
import { oneOrMore } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

interface Entry {
  cron: string;
  zone?: string;
  path: string;
}

const entryMapping = mappingOf({
  shape: { cron: text, expression: text, timezone: text },
  notRun: { at: 'start the run at that time with your scheduler' },
});

const entry: Field<Entry> = (node, path, reading) => {
  if (node.kind === 'map') {
    const read = entryMapping(node, path, reading);
    const cron = read?.cron ?? read?.expression;
    return cron === undefined ? undefined : { cron, path, ...present({ zone: read?.timezone }) };
  }
  const read = text(node, path, reading);
  if (read === undefined) return undefined;
  const [, zone, cron] = /^(?:CRON_TZ|TZ)=(\S+)\s+(.+)$/.exec(read) ?? [];
  return zone === undefined || cron === undefined ? { cron: read, path } : { cron, zone, path };
};

const entries = oneOrMore(entry, 'cron expressions');
const otherTimes = 'only the start of a run is kept; cancel or retry a run with `setpoint cancel` and `setpoint retry`';
const timesMapping = mappingOf({ shape: { start: entries }, notRun: { stop: otherTimes, restart: otherTimes } });

/** A cron expression, several, or `{start, stop, restart}` of which `start` is kept. */
export const schedule: Field<NonNullable<Triggers['schedule']>> = (node, path, reading) => {
  const isTimes = node.kind === 'map' && node.entries.some(({ key }) => ['start', 'stop', 'restart'].includes(key));
  const read = isTimes ? timesMapping(node, path, reading)?.start : entries(node, path, reading);
  const [first, ...others] = (read ?? []).filter((each) => isCron(each, reading));
  if (first === undefined) return undefined;
  for (const { zone, path: at } of others) {
    if (zone === first.zone) continue;
    reading.report(at, 'dialect/not-run', 'a schedule has one time zone; write a file for each zone');
  }
  return { cron: [first, ...others].map(({ cron }) => cron), ...present({ zone: first.zone }), overlap: 'skip' };
};

function isCron({ cron, path }: Entry, reading: Reading): boolean {
  if (/^(?:@\w+|\S+(?:\s+\S+){4,5})$/.test(cron.trim())) return true;
  const message = `\`${cron.slice(0, 80)}\` is no cron expression: five fields, minute, hour, day, month and weekday`;
  reading.report(path, 'definition/unknown-value', message);
  return false;
}

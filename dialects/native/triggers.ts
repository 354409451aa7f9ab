import { present } from '#core/definition/present.ts';
import type { Triggers } from '#core/plan/plan.ts';
import { hasKey } from '#dialects/native/parts.ts';
import type { Field } from '#dialects/source/reading.ts';
import { below, mapping, notYet, oneOrMore } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';

const scheduleMapping = mapping({
  cron: oneOrMore(text, 'cron expressions'),
  zone: text,
  overlap: word(['skip', 'queue', 'allow']),
});

const triggersMapping = mapping({
  schedule: (node, path, reading) => {
    const read = scheduleMapping(node, path, reading);
    if (read !== undefined && !hasKey(node, 'cron')) {
      reading.report(path, 'definition/missing', '`schedule` needs `cron`, such as `0 6 * * 1-5`');
    }
    return read;
  },
  github: notYet('start the run from your CI with `setpoint run`'),
  comment: notYet('start the run from your CI with `setpoint run`'),
});

/** What starts a run by itself: `{schedule: {cron, zone, overlap}}`. */
export const triggers: Field<Triggers> = (node, path, reading) => {
  const { schedule } = triggersMapping(node, path, reading) ?? {};
  const { cron, zone, overlap } = schedule ?? {};
  if (cron === undefined) return undefined;
  for (const [index, line] of cron.entries()) {
    if (/^(?:@\w+|\S+(?:\s+\S+){4,5})$/.test(line.trim())) continue;
    const message = `\`${line.slice(0, 80)}\` is no cron expression: five fields, minute, hour, day, month and weekday`;
    reading.report(below(path, `schedule.cron.${index}`), 'definition/unknown-value', message);
  }
  return { schedule: { cron, ...present({ zone, overlap }) } };
};

import type { CheckDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { At } from '#dialects/native/at.ts';
import { agent, hasKey } from '#dialects/native/parts.ts';
import type { Field, ShapeOf } from '#dialects/source/reading.ts';
import { below, mapping } from '#dialects/source/reading.ts';
import { flag, integer, text } from '#dialects/source/scalars.ts';

const reviewShape = { agent, criterion: text, consecutive: integer(1, 100) } as const;
const reviewMapping = mapping(reviewShape);

/** `{agent, criterion, consecutive}`: another agent judges the work (B5). */
export const review: Field<ShapeOf<typeof reviewShape>> = (node, path, reading) => {
  const read = reviewMapping(node, path, reading);
  if (read !== undefined && !hasKey(node, 'criterion')) {
    reading.report(path, 'definition/missing', '`review` needs a `criterion`: what the reviewer judges by');
    return undefined;
  }
  return read?.criterion === undefined ? undefined : read;
};

interface Common {
  name?: string;
  needs?: 'always' | 'passed';
  timeSeconds?: number;
}

/** A reviewer's own time limit is that of the check. */
export function reviewCheck(read: ShapeOf<typeof reviewShape>, common: Common, { path, reading }: At): CheckDefinition {
  const { criterion = '', consecutive } = read;
  if (common.timeSeconds !== undefined && read.agent?.timeSeconds !== undefined) {
    const message = '`time` is given for the check and for its agent; keep one';
    reading.report(below(path, 'time'), 'definition/conflict', message);
  }
  const timeSeconds = common.timeSeconds ?? read.agent?.timeSeconds;
  return {
    kind: 'review',
    ...common,
    criterion,
    ...present({ timeSeconds, consecutive, agent: read.agent?.agent }),
  };
}

type Report = Pick<Extract<CheckDefinition, { kind: 'report' }>, 'file' | 'wants'>;
const reportMapping = mapping({ worklist: flag, artifact: text, file: text });

/** `{worklist: true}` or `{artifact: PATH}`, in the agent's own report (B7). */
export const report: Field<Report> = (node, path, reading) => {
  const read = reportMapping(node, path, reading);
  if (read === undefined) return undefined;
  const { worklist, artifact, file } = read;
  if (hasKey(node, 'worklist') === hasKey(node, 'artifact')) {
    const code = hasKey(node, 'worklist') ? 'definition/conflict' : 'definition/missing';
    reading.report(path, code, 'a `report` check has exactly one of `worklist: true` and `artifact: PATH`');
    return undefined;
  }
  if (artifact !== undefined) return { wants: { kind: 'artifact', path: artifact }, ...present({ file }) };
  if (worklist === true) return { wants: { kind: 'worklist' }, ...present({ file }) };
  if (worklist === false) {
    reading.report(below(path, 'worklist'), 'definition/conflict', '`worklist` is `true`, or the check is left out');
  }
  return undefined;
};

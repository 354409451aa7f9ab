import type { LoopDefinition, StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { Condition } from '#core/check/condition.ts';
import { has, mappingOf } from '#dialects/dagu/keys.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { backoff, exitCodes, interval, seconds, whole, written, writtenList } from '#dialects/dagu/values.ts';
import type { Field, ShapeOf } from '#dialects/source/reading.ts';
import { flag, word } from '#dialects/source/scalars.ts';

const intervals = { interval_sec: interval, backoff, max_interval_sec: seconds } as const;

const retryShape = { limit: whole(0, 1000), ...intervals, exit_code: exitCodes } as const;

export const retryPolicy = mappingOf({ shape: retryShape });

/** D-13: any exit but 0, or those that are named; a time-out is none. Dagu starts nothing again unasked. */
export function retryOf(read: ShapeOf<typeof retryShape> | undefined): NonNullable<StepDefinition['retry']> {
  if (read === undefined) return { on: 'failure', limit: 0 };
  const { limit = 0, interval_sec: everySeconds = 0, exit_code: codes, max_interval_sec: maxSeconds } = read;
  return {
    on: codes ?? 'failure',
    limit,
    everySeconds,
    backoff: read.backoff ?? 1,
    ...present({ maxSeconds }),
  };
}

const repeatShape = {
  repeat: ((node, path, reading) => {
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
    return word(['while', 'until'])(node, path, reading);
  }) as Field<boolean | 'while' | 'until'>,
  condition: written,
  expected: written,
  exit_code: exitCodes,
  limit: whole(0),
  ...intervals,
} as const;

export type RepeatWritten = ShapeOf<typeof repeatShape> & {
  path: string;
  mode?: 'while' | 'until';
  /** Nothing is said of how often, or 0. */
  isUnlimited: boolean;
};

const repeatMapping = mappingOf({ shape: repeatShape });

export const repeatPolicy: Field<RepeatWritten> = (node, path, reading) => {
  const read = repeatMapping(node, path, reading);
  if (read === undefined) return undefined;
  const judged = has(node, 'condition', 'exit_code');
  if (typeof read.repeat === 'string' && !judged) {
    const message = `\`repeat: ${read.repeat}\` needs a \`condition\` or an \`exit_code\` that decides`;
    reading.report(path, 'definition/missing', message);
  }
  if (has(node, 'condition') && has(node, 'exit_code')) {
    reading.report(path, 'definition/conflict', 'a repeat is judged by `condition` or by `exit_code`; keep one');
  }
  if (has(node, 'expected') && !has(node, 'condition')) {
    reading.report(path, 'definition/missing', '`expected` compares a `condition`; write which');
  }
  const mode = has(node, 'repeat') && read.repeat === undefined ? undefined : modeOf(read);
  const isUnlimited = mode !== undefined && (has(node, 'limit') ? read.limit === 0 : true);
  return { ...read, path, isUnlimited, ...present({ mode }) };
};

/** Without `repeat`, Dagu takes what is expected for an end and anything else for a reason to go on. */
function modeOf({
  repeat,
  condition,
  expected,
  exit_code: codes,
}: ShapeOf<typeof repeatShape>): 'while' | 'until' | undefined {
  if (repeat === 'while' || repeat === 'until') return repeat;
  if (repeat === true) return 'while';
  if (repeat === false && condition === undefined && codes === undefined) return undefined;
  if (condition !== undefined && expected !== undefined) return 'until';
  return condition !== undefined || codes !== undefined ? 'while' : undefined;
}

/** D-03, D-04, D-15: a loop of the step onto itself that counts executions, and whose limit judges nothing. */
export function loopOf(
  read: RepeatWritten | undefined,
  conditionOf: (read: RepeatWritten) => Condition | undefined,
): LoopDefinition | undefined {
  if (read?.mode === undefined) return undefined;
  const { limit = 0, interval_sec: everySeconds, exit_code: codes, max_interval_sec: maxSeconds } = read;
  const wait = present({ everySeconds, backoff: read.backoff, maxSeconds });
  const common = {
    limit: limit === 0 ? null : limit - 1,
    limitJudges: false,
    ...(Object.keys(wait).length === 0 ? {} : { wait }),
  };
  const condition = conditionOf(read);
  if (condition !== undefined) return { ...common, repeat: { mode: read.mode, condition } };
  if (codes !== undefined) return { ...common, repeat: { mode: read.mode, exitCodes: codes } };
  // `repeat: true` alone goes on for as long as the step succeeds.
  return { ...common, on: read.mode === 'while' ? 'pass' : 'fail' };
}

const continueShape = {
  failure: flag,
  skipped: flag,
  exit_code: exitCodes,
  output: writtenList,
  mark_success: flag,
} as const;

const continueMapping = mappingOf({ shape: continueShape, older: { failed: 'failure' } });

export type ContinueWritten = ShapeOf<typeof continueShape>;

/** `failed`, `skipped`, or what exactly. */
export const continueOn: Field<ContinueWritten> = (node, path, reading) => {
  if (node.kind === 'map') return continueMapping(node, path, reading);
  const read = word(['failed', 'failure', 'skipped'])(node, path, reading);
  if (read === undefined) return undefined;
  return read === 'skipped' ? { skipped: true } : { failure: true };
};

export function continuesOf(read: ContinueWritten | undefined): Pick<StepDefinition, 'continueOnError' | 'continueOn'> {
  if (read === undefined) return {};
  const { failure, exit_code: codes, output = [], mark_success: markSuccess } = read;
  const nonZero = codes?.filter((code) => code !== 0);
  const on = present({
    exitCodes: nonZero?.length === 0 ? undefined : nonZero,
    matches: output.length === 0 ? undefined : output.map(patternOf),
    caseSensitive: output.length === 0 ? undefined : true,
    markSuccess: markSuccess === true ? true : undefined,
  });
  return {
    ...(failure === true ? { continueOnError: true } : {}),
    ...(Object.keys(on).length === 0 ? {} : { continueOn: on }),
  };
}

/** A text, or with `re:` a pattern. */
function patternOf({ text }: Written): string {
  if (text.startsWith('re:')) return text.slice('re:'.length);
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

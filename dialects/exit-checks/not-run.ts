import { notRun } from '#dialects/source/reading.ts';

const delivery =
  'a result that passed becomes a branch; say otherwise with `setpoint run FILE --deliver MODE`, or with `deliver` in the native form';

/** What the original knows beside the shape of a loop, each with the native way. */
export const notRunKeys = {
  run: notRun('start the loop with `setpoint run FILE`'),
  loopId: notRun('each run gets an id of its own; look at them with `setpoint runs`'),
  landing: notRun(delivery),
  landingMode: notRun(delivery),
  afterSuccess: notRun(delivery),
  onlyInto: notRun(delivery),
  template: notRun('begin with a starter: `setpoint init` lists them'),
  source: notRun('give the native form `labels`, and hold their runs with `setpoint source off LABEL`'),
} as const;

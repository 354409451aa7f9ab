import type { Rule } from '#core/doctor/rule.ts';
import { agentCanEdit } from '#core/doctor/rules/agent-can-edit.ts';
import { curlIgnoresStatus, editsWork, neverEnds } from '#core/doctor/rules/checks-that-work.ts';
import { cannotFail, flagThatPasses } from '#core/doctor/rules/commands-that-cannot-fail.ts';
import { folded } from '#core/doctor/rules/folded.ts';
import { gateOnly, personGate, retryIsNoLoop, schemaGate } from '#core/doctor/rules/gates.ts';
import {
  capCannotBind,
  inverted,
  limitWithNothingAfter,
  neverFires,
  noLimit,
  streakTooLong,
} from '#core/doctor/rules/limits.ts';
import { negated } from '#core/doctor/rules/negated.ts';
import { agentDecides, noSignal, openLoop } from '#core/doctor/rules/open-loops.ts';
import { dearFirst } from '#core/doctor/rules/order.ts';
import { anyLine, failOnly, matchesNegation, matchesPrefix, matchesPrompt } from '#core/doctor/rules/patterns.ts';
import { pipeHidesExit } from '#core/doctor/rules/pipes.ts';
import { reviewerWrites, sameProvider, selfReported, selfReview } from '#core/doctor/rules/reviews.ts';
import {
  conditionTellsNothing,
  nothingChanges,
  promptIgnoresCheck,
  retriesFirst,
  scheduleForgets,
} from '#core/doctor/rules/routes.ts';
import { noSetup, rawWords, setupHidesFailure } from '#core/doctor/rules/workspace.ts';

/** Every rule over plans, in the order in which findings of one place are told. */
export const rules: readonly Rule[] = [
  agentDecides,
  selfReview,
  noSignal,
  openLoop,
  inverted,
  gateOnly,
  schemaGate,
  personGate,
  retryIsNoLoop,
  conditionTellsNothing,
  promptIgnoresCheck,
  scheduleForgets,
  nothingChanges,
  retriesFirst,
  noLimit,
  limitWithNothingAfter,
  neverFires,
  streakTooLong,
  capCannotBind,
  cannotFail,
  flagThatPasses,
  pipeHidesExit,
  negated,
  folded,
  editsWork,
  neverEnds,
  curlIgnoresStatus,
  agentCanEdit,
  selfReported,
  dearFirst,
  matchesNegation,
  matchesPrefix,
  anyLine,
  matchesPrompt,
  failOnly,
  sameProvider,
  reviewerWrites,
  rawWords,
  noSetup,
  setupHidesFailure,
];

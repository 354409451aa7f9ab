import { unreachable } from '#core/exhaustive.ts';
import { durationSeconds } from '#core/plan/amounts.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { RunEvent } from '#core/run/event.ts';
import { checkNamed, optionIssues, parseDecision, parsePasses, type SimulateOptions } from '#core/simulate/options.ts';
import { countsOf, simulate, type Simulation } from '#core/simulate/simulate.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import { compileHere, readDefinition } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { planOf } from '#cli/follow/plan-of.ts';
import { issueLines } from '#cli/render/issue-lines.ts';
import { simulationLines } from '#cli/render/simulation-lines.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface SimulateFlags extends GlobalFlags {
  passes?: number;
  time?: string;
  failCheck?: string[];
  passCheck?: string[];
  fail?: string[];
  decide?: string[];
  edit?: string;
  seed?: number;
  json?: boolean;
}

/**
 * `setpoint simulate RUN|FILE` (S-05): the law over a run's record, or over a definition that never ran, with other
 * limits, results or decisions. Needs no server for a file, and starts nothing. Exit 0 when it was simulated, whatever it
 * came to; 1 when it finds no end; 2 for what the plan does not have, or an answer that is not allowed.
 */
export async function simulateCommand(context: CliContext, word: string, flags: SimulateFlags): Promise<ExitCode> {
  const { plan, events } = /^run_\w+$/.test(word) ? await ofRun(context, word, flags) : await ofFile(context, word);
  const edited = flags.edit === undefined ? undefined : (await ofFile(context, flags.edit)).plan;
  const options = optionsOf(edited ?? plan, flags);
  const simulation = simulate({ plan, events, options, ...(edited === undefined ? {} : { edited }) });
  if (flags.json === true) for (const line of jsonLines(simulation)) context.terminal.out(line);
  else {
    for (const { tone, text } of simulationLines(simulation)) context.terminal.out(context.terminal.paint(tone, text));
  }
  return endOf(simulation);
}

interface Source {
  plan: Plan;
  events: RunEvent[];
}

async function ofRun(context: CliContext, runId: string, flags: SimulateFlags): Promise<Source> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  const [{ whole }, stored] = await Promise.all([client.run(runId), client.events(runId)]);
  return { plan: planOf(whole), events: stored.map(({ event }) => event) };
}

async function ofFile(context: CliContext, file: string): Promise<Source> {
  const { plan, warnings } = await compileHere(await readDefinition(context, file));
  for (const line of issueLines(file, warnings)) context.terminal.err(line);
  return { plan, events: [] };
}

/** Throws with exit code 2, naming all that is wrong. */
function optionsOf(plan: Plan, flags: SimulateFlags): SimulateOptions {
  const passesOf = (flag: string, texts: readonly string[] = []) =>
    texts.map((text) => parsePasses(text) ?? misread(flag, text, 'NAME@PASS[,PASS], such as tests@2,3'));
  const checks = (flag: string, texts?: readonly string[]) =>
    passesOf(flag, texts).flatMap(({ name, passes }) => passes.map((pass) => ({ ...checkNamed(plan, name), pass })));
  const decisions = (flags.decide ?? []).map(
    (text) => parseDecision(text) ?? misread('--decide', text, 'STEP=approve|reject|push_back[@REVISION]'),
  );
  const options: SimulateOptions = {
    ...(flags.passes === undefined ? {} : { passes: flags.passes }),
    ...(flags.time === undefined ? {} : { timeSeconds: secondsOf(flags.time) }),
    failChecks: checks('--fail-check', flags.failCheck),
    passChecks: checks('--pass-check', flags.passCheck),
    failSteps: passesOf('--fail', flags.fail).flatMap(({ name, passes }) =>
      passes.map((pass) => ({ step: name, pass })),
    ),
    decisions,
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
  };
  const issues = optionIssues(plan, options);
  if (issues.length === 0) return options;
  throw new CliFailure(exitCodes.usage, issues.join(' '), {
    remedy: '`setpoint plan FILE` shows its steps and checks',
  });
}

function secondsOf(text: string): number {
  const seconds = durationSeconds(text);
  return seconds === undefined || seconds === 0 ? misread('--time', text, '90s, 15m, 2h or 3d') : seconds;
}

function misread(flag: string, text: string, form: string): never {
  throw new CliFailure(exitCodes.usage, `${flag} ${text} cannot be read`, { remedy: `write ${form}` });
}

/** Each event with where it comes from, then what it came to. */
function jsonLines(simulation: Simulation): string[] {
  const { timeline, state, end, followed } = simulation;
  const outcome = {
    simulated: true,
    end: end.kind,
    ...(end.kind === 'refused' ? { reason: end.reason } : {}),
    stop: state.stop,
    paused: state.paused,
    ...countsOf(simulation),
    afterMs: state.now - (timeline[0]?.event.at ?? state.now),
    activeMs: state.activeMs,
    spendUsd: state.spend.usd ?? 0,
    followed,
  };
  return [...timeline, outcome].map((line) => JSON.stringify(line));
}

function endOf({ end, timeline }: Simulation): ExitCode {
  switch (end.kind) {
    case 'ended':
    case 'rests':
      return exitCodes.succeeded;
    case 'refused':
      throw new CliFailure(exitCodes.usage, end.reason, { remedy: 'say another answer with --decide STEP=…' });
    case 'unending':
      throw new CliFailure(
        exitCodes.didNotPass,
        `the simulation finds no end: broken off after ${timeline.length} events`,
        {
          remedy: 'bound it with --passes or --time, or say with --decide who ends it',
        },
      );
    default:
      return unreachable(end);
  }
}

import type { DeliveryPlan } from '#core/plan/plan.ts';
import type { StartRun } from '#core/contract/http.ts';

import type { ApiClient } from '#cli/client/api-client.ts';
import type { DefinitionFile } from '#cli/commands/definition-file.ts';
import { findDefinition } from '#cli/commands/stored-definition.ts';
import { type HandedOver, type Submission, submitRun } from '#cli/commands/submit-run.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes, messageOf } from '#cli/failure.ts';
import { comeBack, foundAgain } from '#cli/follow/come-back.ts';
import type { Followed } from '#cli/follow/follow-run.ts';
import { issueLines } from '#cli/render/issue-lines.ts';
import { type GlobalFlags, type Settings, settingsOf } from '#cli/settings.ts';

/** As commander gives them: `--no-x` is `x: false`. */
export interface RunFlags extends GlobalFlags {
  input?: string[];
  agent?: string;
  deliver?: DeliveryPlan['mode'];
  key?: string;
  detach?: boolean;
  foreground?: boolean;
  wait: boolean;
  worktree: boolean;
  dryRun?: boolean;
  quiet?: boolean;
  json?: boolean;
  dialect?: string;
  priority?: number;
}

/** `setpoint run FILE|NAME`: a file wins over a stored definition. Exit codes as docs/guide/scripts.md; 130 after a Ctrl-C that detached. */
export async function runCommand(context: CliContext, file: string, flags: RunFlags): Promise<ExitCode> {
  if (flags.detach === true && flags.foreground === true) {
    throw new CliFailure(exitCodes.usage, '--detach and --foreground exclude each other', {
      remedy: 'give one of them',
    });
  }
  const settings = settingsOf(flags, context.environment, context.cwd);
  const definition = await findDefinition(context, settings, { word: file, quiet: flags.quiet ?? false });
  const body = startRequest(context, definition, settings, flags);
  if (flags.dryRun === true) {
    const { dryRun } = await import('#cli/commands/dry-run.ts');
    return dryRun(context, settings, { definition, body, json: flags.json ?? false });
  }
  return (await startAndFollow(context, settings, { definition, body, flags })).exitCode;
}

export interface RunRequest {
  definition: DefinitionFile;
  body: StartRun;
  flags: Pick<RunFlags, 'key' | 'detach' | 'foreground' | 'wait' | 'quiet' | 'json'>;
}

/**
 * Starts the run and follows it to its end, or only starts it (`--detach`). A Ctrl-C while the run is handed over is
 * acted on as soon as the run has its id; the second one quits at once.
 */
export async function startAndFollow(context: CliContext, settings: Settings, request: RunRequest): Promise<Followed> {
  const { definition, body, flags } = request;
  const quiet = flags.quiet ?? false;
  const handover = hearInterrupts(context, flags.foreground ?? false);
  let handedOver = false;
  try {
    const submission = { definition, body, quiet, key: flags.key ?? crypto.randomUUID() };
    const { client, started } = await submitRun(context, settings, submission);
    handedOver = true;
    tellWarnings(context, submission, started);
    if (flags.detach === true) return await detached(context, client, { started, key: submission.key });
    tellFound(context, submission, started);
    const { followRun } = await import('#cli/follow/follow-run.ts');
    const followed = followRun(context, client, started.runId, {
      json: flags.json ?? false,
      quiet,
      wait: flags.wait,
      onInterrupt: flags.foreground === true ? 'cancel' : 'detach',
      interrupted: handover.heard(),
    });
    handover.stop();
    return await followed;
  } catch (error) {
    if (handedOver || !handover.heard()) throw error;
    context.terminal.err(`Interrupted before the run was started: ${messageOf(error)}`);
    return { exitCode: exitCodes.interrupted };
  } finally {
    handover.stop();
  }
}

function hearInterrupts(context: CliContext, foreground: boolean): { heard: () => boolean; stop: () => void } {
  let heard = false;
  const stop = context.interrupts.listen(() => {
    if (heard) process.exit(exitCodes.interrupted);
    heard = true;
    const then = foreground ? 'to cancel it' : 'to say how to come back';
    context.terminal.err(`Waiting until the run is handed over, ${then}; Ctrl-C again quits.`);
  });
  return { stop, heard: () => heard };
}

function tellWarnings(context: CliContext, { definition, quiet }: Submission, { warnings }: HandedOver): void {
  if (quiet) return;
  for (const line of issueLines(definition.file, warnings ?? [])) context.terminal.err(line);
}

function tellFound(context: CliContext, { key, quiet }: Submission, { runId, found }: HandedOver): void {
  if (found && !quiet) context.terminal.err(`The key ${key} belongs to ${runId}, which was started before:`);
}

async function detached(
  context: CliContext,
  client: ApiClient,
  { started: { runId, found }, key }: { started: HandedOver; key: string },
): Promise<Followed> {
  const { outcomeOf } = await import('#cli/render/outcome.ts');
  const outcome = outcomeOf((await client.run(runId)).listed);
  context.terminal.err(found ? foundAgain(key, outcome) : comeBack(runId));
  context.terminal.out(context.terminal.interactive ? runId : JSON.stringify(outcome));
  return { exitCode: exitCodes.succeeded, outcome };
}

/** What `POST /v1/runs` gets: text or stored name, and the folder that `repo: .` means. Throws 2 for a bad `--input`. */
export function startRequest(
  context: CliContext,
  definition: DefinitionFile,
  settings: Settings,
  flags: RunFlags,
): StartRun {
  const inputs = inputsOf(flags.input ?? []);
  return {
    ...(definition.isStored === true ? { name: definition.file } : { source: definition.text, file: definition.file }),
    ...(flags.dialect === undefined ? {} : { dialect: flags.dialect }),
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
    ...(settings.project === undefined ? {} : { project: settings.project }),
    ...(flags.priority === undefined ? {} : { priority: flags.priority }),
    overrides: {
      repo: context.cwd,
      ...(flags.agent === undefined ? {} : { agent: flags.agent }),
      ...(flags.deliver === undefined ? {} : { deliver: flags.deliver }),
      ...(flags.worktree ? {} : { worktree: false }),
    },
  };
}

function inputsOf(given: readonly string[]): Record<string, string> {
  const inputs = new Map<string, string>();
  for (const pair of given) {
    const equals = pair.indexOf('=');
    if (equals < 1) {
      throw new CliFailure(exitCodes.usage, `--input ${pair} is not of the form name=value`, {
        remedy: 'write it as --input name=value, once for each input',
      });
    }
    const name = pair.slice(0, equals);
    if (inputs.has(name)) {
      throw new CliFailure(exitCodes.usage, `--input ${name} is given twice`, { remedy: 'give each input once' });
    }
    inputs.set(name, pair.slice(equals + 1));
  }
  return Object.fromEntries(inputs);
}

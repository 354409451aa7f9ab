import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { ApiProblem } from '#cli/client/api-problem.ts';
import { createSteerClient, type SteerClient, type Steered } from '#cli/client/steer-client.ts';
import { type DefinitionFile, InvalidDefinition, readDefinition } from '#cli/commands/definition-file.ts';
import { steer } from '#cli/commands/steer.ts';
import { withIssues } from '#cli/commands/submit-run.ts';
import type { CliContext } from '#cli/context.ts';
import { openEditor } from '#cli/editor.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface EditFlags extends GlobalFlags {
  dialect?: string;
  print?: boolean;
}

/**
 * `setpoint edit RUN [FILE]`: the definition in the file counts from the next pass of each step. Without a file the
 * present one is opened in an editor, or printed by `--print`. Exit 2 with every issue, and for what may not change.
 */
export async function editCommand(
  context: CliContext,
  { runId, file }: { runId: string; file: string | undefined },
  flags: EditFlags,
): Promise<ExitCode> {
  if (file !== undefined && flags.print !== true) {
    return send(context, flags, { runId, definition: await readDefinition(context, file) });
  }
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createSteerClient(await requireServer(settings));
  if (flags.print === true) {
    context.terminal.raw((await client.definition(runId)).source);
    return exitCodes.succeeded;
  }
  if (!context.terminal.interactive) throw noFile(runId);
  return editByHand(context, flags, { runId, client });
}

/** The text is written beside nothing else, so that the editor knows it by its name. */
async function editByHand(
  context: CliContext,
  flags: EditFlags,
  { runId, client }: { runId: string; client: SteerClient },
): Promise<ExitCode> {
  const { source, file = 'definition.loop.yaml', dialect } = await client.definition(runId);
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-edit-'));
  const path = join(folder, basename(file));
  await writeFile(path, source);
  await openEditor(context, path);
  const text = await readFile(path, 'utf8');
  if (text === source) {
    await rm(folder, { recursive: true });
    context.terminal.err('Nothing was changed.');
    return exitCodes.succeeded;
  }
  const spoken = dialect === undefined ? flags : { dialect, ...flags };
  const sent = await send(context, spoken, { runId, definition: { file: path, text } }).catch((error: unknown) => {
    throw kept(error, runId, path);
  });
  await rm(folder, { recursive: true });
  return sent;
}

function send(
  context: CliContext,
  flags: EditFlags,
  { runId, definition }: { runId: string; definition: DefinitionFile },
): Promise<ExitCode> {
  return steer(context, flags, (client) => edit(client, flags, { runId, definition }));
}

async function edit(
  client: SteerClient,
  flags: EditFlags,
  { runId, definition }: { runId: string; definition: DefinitionFile },
): Promise<Steered> {
  const { file, text: source } = definition;
  const dialect = flags.dialect === undefined ? {} : { dialect: flags.dialect };
  try {
    return await client.edit(runId, { source, file, ...dialect });
  } catch (error) {
    throw withIssues(error, file);
  }
}

export interface ResumeWithFlags extends EditFlags {
  reason?: string;
}

/**
 * `setpoint resume RUN --task FILE` (T-22): the definition in the file counts from the next pass, then the run goes on. A file
 * that says what the run does already only resumes it. When the run may not go on, the definition stays changed, and it is
 * said so.
 */
export async function resumeWithCommand(
  context: CliContext,
  { runId, file }: { runId: string; file: string },
  flags: ResumeWithFlags,
): Promise<ExitCode> {
  const definition = await readDefinition(context, file);
  return steer(context, flags, async (client) => {
    const isChanged = await editUnlessSame(client, flags, { runId, definition });
    try {
      return await client.resume(runId, flags.reason === undefined ? {} : { reason: flags.reason });
    } catch (error) {
      if (!isChanged || !(error instanceof CliFailure)) throw error;
      throw new CliFailure(error.exitCode, `the definition is changed, and the run does not go on: ${error.message}`, {
        ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
        cause: error,
      });
    }
  });
}

async function editUnlessSame(
  client: SteerClient,
  flags: EditFlags,
  request: { runId: string; definition: DefinitionFile },
): Promise<boolean> {
  try {
    await edit(client, flags, request);
    return true;
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.code === 'edit/unchanged') return false;
    throw error;
  }
}

/** What was typed is not lost with a refusal. */
function kept(error: unknown, runId: string, path: string): unknown {
  if (!(error instanceof CliFailure)) return error;
  const again = `mend it there and send it again: setpoint edit ${runId} ${path}`;
  if (error instanceof InvalidDefinition) return error.withRemedy(again);
  const remedy = error.remedy === undefined ? again : `${error.remedy} Your text is kept; ${again}`;
  return new CliFailure(error.exitCode, error.message, { remedy, cause: error });
}

function noFile(runId: string): CliFailure {
  return new CliFailure(exitCodes.usage, 'no file is given, and without a terminal no editor can be opened', {
    remedy: `setpoint edit ${runId} --print > edited.loop.yaml; change it; setpoint edit ${runId} edited.loop.yaml`,
  });
}

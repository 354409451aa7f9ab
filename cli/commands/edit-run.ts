import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { createSteerClient, type SteerClient } from '#cli/client/steer-client.ts';
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
  const { file, text: source } = definition;
  const dialect = flags.dialect === undefined ? {} : { dialect: flags.dialect };
  return steer(context, flags, async (client) => {
    try {
      return await client.edit(runId, { source, file, ...dialect });
    } catch (error) {
      throw withIssues(error, file);
    }
  });
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

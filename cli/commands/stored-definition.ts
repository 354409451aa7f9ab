import type { DefinitionShown } from '#core/contract/library.ts';

import { ApiProblem } from '#cli/client/api-problem.ts';
import { createLibraryClient } from '#cli/client/library-client.ts';
import { type DefinitionFile, readDefinition } from '#cli/commands/definition-file.ts';
import { isNotOurStack } from '#cli/commands/submit-run.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes } from '#cli/failure.ts';
import type { Settings } from '#cli/settings.ts';
import { serverAddress } from '#cli/stack/server-address.ts';

/**
 * What `setpoint run` was told to run: a file, or where there is none the stored definition of that name. The embedded
 * stack is started to be asked, where there was one before, unless the word is plainly that of a file. Throws with exit
 * code 2 when it is neither.
 */
export async function findDefinition(
  context: CliContext,
  settings: Settings,
  { word, quiet }: { word: string; quiet: boolean },
): Promise<DefinitionFile> {
  try {
    return await readDefinition(context, word);
  } catch (error) {
    if (!isNoFile(error) || !storedName.test(word)) throw error;
    const stored = await askFor(context, settings, { word, quiet });
    if (stored !== undefined) return { file: word, text: stored.source, isStored: true };
    throw neither(word, settings, error);
  }
}

const storedName = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const fileName = /\.(?:ya?ml|json)$/i;

function isNoFile(error: unknown): boolean {
  const cause = error instanceof CliFailure ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR';
}

/** Undefined when no definition of that name is stored, or nobody is there who could store one. */
async function askFor(
  context: CliContext,
  settings: Settings,
  { word, quiet }: { word: string; quiet: boolean },
): Promise<DefinitionShown | undefined> {
  const query = settings.project === undefined ? {} : { project: settings.project };
  const address = await serverAddress(settings);
  if (address === undefined) return undefined;
  try {
    return await createLibraryClient(address).definition(word, query);
  } catch (error) {
    if (isNotStored(error)) return undefined;
    if (settings.server !== undefined || !isNotOurStack(error)) throw error;
  }
  if (fileName.test(word)) return undefined;
  const { startStack } = await import('#cli/stack/start-stack.ts');
  const started = createLibraryClient(await startStack(context, settings, { quiet }));
  return started.definition(word, query).catch((error: unknown) => {
    if (isNotStored(error)) return undefined;
    throw error;
  });
}

function isNotStored(error: unknown): boolean {
  return error instanceof ApiProblem && error.problem.code === 'definition/not-found';
}

function neither(word: string, { project }: Settings, cause: unknown): CliFailure {
  const where = project === undefined ? '' : ` in project ${project}`;
  const message = `${word} is neither a file here nor the name of a stored definition${where}`;
  const remedy = 'name a file such as green.loop.yaml, or one of those that `setpoint definitions` lists';
  return new CliFailure(exitCodes.usage, message, { remedy, cause });
}

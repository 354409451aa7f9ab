import { createLibraryClient, type LibraryClient } from '#cli/client/library-client.ts';
import type { CliContext } from '#cli/context.ts';
import { type GlobalFlags, type Settings, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

/** What a server keeps beside its runs, and the project that the settings name. */
export async function openLibrary(
  context: CliContext,
  flags: GlobalFlags,
): Promise<{ client: LibraryClient; project: Pick<Settings, 'project'> }> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createLibraryClient(await requireServer(settings));
  return { client, project: settings.project === undefined ? {} : { project: settings.project } };
}

import { basename } from 'node:path';

import { everyPage } from '#cli/client/library-client.ts';
import { readDefinition } from '#cli/commands/definition-file.ts';
import { withIssues } from '#cli/commands/submit-run.ts';
import { openLibrary } from '#cli/commands/open-library.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { shortTime, tellList } from '#cli/render/listing.ts';
import type { GlobalFlags } from '#cli/settings.ts';

export interface DefinitionsFlags extends GlobalFlags {
  name?: string;
  dialect?: string;
  json?: boolean;
}

/** `setpoint definitions [list]`: what is stored, by name; `--json` gives one a line. */
export async function listDefinitions(context: CliContext, flags: DefinitionsFlags): Promise<ExitCode> {
  const { client, project } = await openLibrary(context, flags);
  const found = await everyPage(
    (query) => client.definitions({ ...query, ...project }),
    (page) => page.definitions,
  );
  tellList(context.terminal, found, {
    json: flags.json,
    empty: 'No definitions are stored. `setpoint definitions put FILE` stores one.',
    head: ['NAME', 'VERSION', 'DIALECT', 'PROJECT', 'STORED', 'BY'],
    row: (one) => [one.name, String(one.version), one.dialect, one.project, shortTime(one.createdAt), one.createdBy],
  });
  return exitCodes.succeeded;
}

/**
 * `setpoint definitions put FILE`: stores the text as the next version, or finds that it is stored. Every issue of it is
 * a line, exit 2.
 */
export async function putDefinition(context: CliContext, file: string, flags: DefinitionsFlags): Promise<ExitCode> {
  const name = flags.name ?? nameOf(file);
  const { text: source } = await readDefinition(context, file);
  const { client, project } = await openLibrary(context, flags);
  const dialect = flags.dialect === undefined ? {} : { dialect: flags.dialect };
  const { created, ...stored } = await client
    .putDefinition(name, { source, ...dialect, ...project })
    .catch((error: unknown) => {
      throw withIssues(error, file);
    });
  const state = created ? 'is stored as' : 'was stored before, as';
  context.terminal.err(`${name} ${state} version ${stored.version}. Run it: setpoint run ${name}`);
  if (flags.json === true) context.terminal.out(JSON.stringify(stored));
  return exitCodes.succeeded;
}

/** `setpoint definitions show NAME` or `NAME@VERSION`: the text as it was stored, or with `--json` all that is known of it. */
export async function showDefinition(context: CliContext, name: string, flags: DefinitionsFlags): Promise<ExitCode> {
  const { client, project } = await openLibrary(context, flags);
  const [named = name, version] = name.split('@');
  const stored = await client.definition(named, { ...(version === undefined ? {} : { version }), ...project });
  if (flags.json === true) context.terminal.out(JSON.stringify(stored));
  else context.terminal.raw(stored.source.endsWith('\n') ? stored.source : `${stored.source}\n`);
  return exitCodes.succeeded;
}

/** `Green tests.loop.yaml` is no name, so it must be given; `green.loop.yaml` is `green`. */
function nameOf(file: string): string {
  const name = basename(file).replace(/(?:\.loop)?\.(?:ya?ml|json)$/i, '');
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return name;
  throw new CliFailure(exitCodes.usage, `${file} gives no name to store it under`, {
    remedy: 'give one with --name: small letters, digits, dots, dashes and underscores, at most 64',
  });
}

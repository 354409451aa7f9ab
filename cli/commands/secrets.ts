import { everyPage } from '#cli/client/library-client.ts';
import { openLibrary } from '#cli/commands/open-library.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { shortTime, tellList } from '#cli/render/listing.ts';
import type { GlobalFlags } from '#cli/settings.ts';

export interface SecretsFlags extends GlobalFlags {
  json?: boolean;
}

/** `setpoint secrets [list]`: names and dates; `--json` gives one a line. No command shows a value. */
export async function listSecrets(context: CliContext, flags: SecretsFlags): Promise<ExitCode> {
  const { client, project } = await openLibrary(context, flags);
  const found = await everyPage(
    (query) => client.secrets({ ...query, ...project }),
    (page) => page.secrets,
  );
  tellList(context.terminal, found, {
    json: flags.json,
    empty: 'No secrets are stored. `setpoint secrets set NAME` stores one.',
    head: ['NAME', 'PROJECT', 'SET'],
    row: (one) => [one.name, one.project, shortTime(one.updatedAt)],
  });
  return exitCodes.succeeded;
}

/** `setpoint secrets set NAME`: the value is read from stdin or asked for, never given as an argument. */
export async function setSecret(context: CliContext, name: string, flags: SecretsFlags): Promise<ExitCode> {
  const { client, project } = await openLibrary(context, flags);
  const value = await context.terminal.secret(`Value of ${name} (it is not shown): `);
  if (value === undefined) {
    context.terminal.err('Interrupted; nothing was stored.');
    return exitCodes.interrupted;
  }
  if (value === '') {
    throw new CliFailure(exitCodes.usage, `there is no value for ${name}`, {
      remedy: `type one, or send it on stdin: setpoint secrets set ${name} < FILE`,
    });
  }
  const stored = await client.putSecret(name, { value, ...project });
  const state = stored.created ? 'is stored' : 'has a new value';
  context.terminal.err(`${name} ${state} in project ${stored.project}. A step gets it by \`secrets: [${name}]\`.`);
  return exitCodes.succeeded;
}

/** `setpoint secrets remove NAME`. */
export async function removeSecret(context: CliContext, name: string, flags: SecretsFlags): Promise<ExitCode> {
  const { client, project } = await openLibrary(context, flags);
  await client.removeSecret(name, { ...project });
  context.terminal.err(`${name} is removed.`);
  return exitCodes.succeeded;
}

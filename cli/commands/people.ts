import type { PutPerson } from '#core/contract/library.ts';

import { everyPage } from '#cli/client/library-client.ts';
import { openLibrary } from '#cli/commands/open-library.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { tellList } from '#cli/render/listing.ts';
import type { GlobalFlags } from '#cli/settings.ts';

export interface PeopleFlags extends GlobalFlags {
  team?: string[];
  admin?: boolean;
  newToken?: boolean;
  json?: boolean;
}

/** `setpoint people [list]`; `--json` gives one a line. */
export async function listPeople(context: CliContext, flags: PeopleFlags): Promise<ExitCode> {
  const { client } = await openLibrary(context, flags);
  const found = await everyPage(
    (query) => client.people(query),
    (page) => page.people,
  );
  tellList(context.terminal, found, {
    json: flags.json,
    empty: 'Nobody but the owner of the server. `setpoint people add NAME` adds a person.',
    head: ['NAME', 'ROLE', 'TEAMS'],
    row: ({ name, teams, admin }) => [name, admin ? 'admin' : '-', teams.join(', ')],
  });
  return exitCodes.succeeded;
}

/** `setpoint people add NAME`: adds or changes a person. A token that was made is alone on stdout, this one time. */
export async function addPerson(context: CliContext, name: string, flags: PeopleFlags): Promise<ExitCode> {
  const { client } = await openLibrary(context, flags);
  const { created, ...person } = await client.putPerson(name, changeOf(flags));
  if (flags.json === true) {
    context.terminal.out(JSON.stringify(person));
    return exitCodes.succeeded;
  }
  const teams = person.teams.length === 0 ? 'in no team' : `in ${person.teams.join(', ')}`;
  const state = created ? 'is added' : 'is changed';
  context.terminal.err(`${name} ${state}: ${teams}${person.admin ? ', admin' : ''}.`);
  if (person.token === undefined) return exitCodes.succeeded;
  context.terminal.err('The token (SETPOINT_TOKEN of that person) is shown this one time:');
  context.terminal.out(person.token);
  return exitCodes.succeeded;
}

function changeOf({ team, admin, newToken }: PeopleFlags): PutPerson {
  return {
    ...(team === undefined ? {} : { teams: team }),
    ...(admin === undefined ? {} : { admin }),
    ...(newToken === undefined ? {} : { newToken }),
  };
}

/** `setpoint people remove NAME`: the token ends at once. */
export async function removePerson(context: CliContext, name: string, flags: PeopleFlags): Promise<ExitCode> {
  const { client } = await openLibrary(context, flags);
  await client.removePerson(name);
  context.terminal.err(`${name} is removed; the token is no longer valid.`);
  return exitCodes.succeeded;
}

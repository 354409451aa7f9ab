import { collected, examples, type Registrar } from '#cli/program/registrar.ts';

/** Definitions that a server keeps. */
export function addStoredDefinitionCommands({ program, context, exit }: Registrar): void {
  const load = () => import('#cli/commands/definitions.ts');
  const definitions = program
    .command('definitions')
    .summary('list, store and show definitions on the server')
    .description('Definitions that the server keeps under a name, in every version. `setpoint run NAME` runs one.')
    .addHelpText('after', examples('setpoint definitions put green.loop.yaml', 'setpoint run green'));
  definitions
    .command('list', { isDefault: true })
    .description('Lists stored definitions, each in its newest version.')
    .option('--json', 'one definition a line as JSON')
    .action(async (_flags, command) => {
      exit(await (await load()).listDefinitions(context, command.optsWithGlobals()));
    });
  definitions
    .command('put')
    .description('Stores a definition as the next version. The same text again is the same version.')
    .argument('<file>', 'the definition; - reads stdin')
    .option('--name <name>', 'the name to store it under; by default that of the file')
    .option('--dialect <name>', 'how to read the file, when two dialects fit')
    .option('--json', 'what was stored as one JSON line')
    .action(async (file: string, _flags, command) => {
      exit(await (await load()).putDefinition(context, file, command.optsWithGlobals()));
    });
  definitions
    .command('show')
    .description('Prints the text of a stored definition.')
    .argument('<name>', 'name of a stored definition; NAME@2 is its version 2, else it is the newest')
    .option('--json', 'with version, dialect, date and person, as one JSON line')
    .action(async (name: string, _flags, command) => {
      exit(await (await load()).showDefinition(context, name, command.optsWithGlobals()));
    });
}

/** What an organisation keeps beside its runs. */
export function addOrganisationCommands(registrar: Registrar): void {
  addSecretsCommands(registrar);
  addPeopleCommands(registrar);
}

function addSecretsCommands({ program, context, exit }: Registrar): void {
  const load = () => import('#cli/commands/secrets.ts');
  const secrets = program
    .command('secrets')
    .summary('list, set and remove secrets of a project')
    .description('Secrets that the server keeps sealed, for steps that name them. No command shows a value.')
    .addHelpText('after', examples('setpoint secrets set NPM_TOKEN', 'setpoint secrets set NPM_TOKEN < token.txt'));
  secrets
    .command('list', { isDefault: true })
    .description('Lists the names of stored secrets, and when each was set.')
    .option('--json', 'one secret a line as JSON')
    .action(async (_flags, command) => {
      exit(await (await load()).listSecrets(context, command.optsWithGlobals()));
    });
  secrets
    .command('set')
    .description('Stores a secret. Its value is read from stdin, or asked for without showing it.')
    .argument('<name>', 'the variable in which a step gets it')
    .action(async (name: string, _flags, command) => {
      exit(await (await load()).setSecret(context, name, command.optsWithGlobals()));
    });
  secrets
    .command('remove')
    .description('Removes a stored secret.')
    .argument('<name>', 'name of a stored secret')
    .action(async (name: string, _flags, command) => {
      exit(await (await load()).removeSecret(context, name, command.optsWithGlobals()));
    });
}

function addPeopleCommands({ program, context, exit }: Registrar): void {
  const load = () => import('#cli/commands/people.ts');
  const people = program
    .command('people')
    .summary('list, add and remove people and their tokens')
    .description('People who may use the server, each with a token of their own. Adding and removing is for admins.')
    .addHelpText('after', examples('setpoint people add ada --team web', 'setpoint people add ada --new-token'));
  people
    .command('list', { isDefault: true })
    .description('Lists people.')
    .option('--json', 'one person a line as JSON')
    .action(async (_flags, command) => {
      exit(await (await load()).listPeople(context, command.optsWithGlobals()));
    });
  people
    .command('add')
    .description('Adds a person and prints the token, or changes what is given of one who is there.')
    .argument('<name>', 'name of the person')
    .option('--team <name>', 'a team; once for each, in place of those before', collected)
    .option('--admin', 'may add and remove people')
    .option('--no-admin', 'may no longer')
    .option('--new-token', 'make another token; the one before ends at once')
    .option('--json', 'the person as one JSON line, with the token that was made')
    .action(async (name: string, _flags, command) => {
      exit(await (await load()).addPerson(context, name, command.optsWithGlobals()));
    });
  people
    .command('remove')
    .description('Removes a person; the token ends at once.')
    .argument('<name>', 'name of the person')
    .action(async (name: string, _flags, command) => {
      exit(await (await load()).removePerson(context, name, command.optsWithGlobals()));
    });
}

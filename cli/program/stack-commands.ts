import { Argument } from 'commander';

import type { Entry } from '#cli/context.ts';
import { examples, type Registrar } from '#cli/program/registrar.ts';

/** The embedded stack. */
export function addStackCommands({ program, context, exit }: Registrar): void {
  program
    .command('up')
    .summary('start the embedded stack')
    .description('Starts the embedded stack. Its data are in $SETPOINT_HOME, or in .setpoint/ of this folder.')
    .option('--detach', 'return when it is ready; without it, Ctrl-C stops the stack')
    .addHelpText('after', examples('setpoint up --detach'))
    .action(async (_flags, command) => {
      const { upCommand } = await import('#cli/commands/stack.ts');
      exit(await upCommand(context, command.optsWithGlobals()));
    });

  program
    .command('down')
    .summary('stop the embedded stack; its data stay')
    .description('Stops the embedded stack. Its data stay, and its runs go on after `setpoint up`.')
    .action(async () => {
      const { downCommand } = await import('#cli/commands/stack.ts');
      exit(await downCommand(context));
    });

  program
    .command('status')
    .summary('show the stack’s processes, or the settings')
    .description('Shows the processes of the embedded stack. Exit code 0 when it is up, 5 when it is not.')
    .option('--json', '{url, home, processes: [{role, pid, state, since}]} as one line')
    .option('--config', 'show the settings and where each comes from; secrets are masked')
    .addHelpText('after', examples('setpoint status', 'setpoint status --json', 'setpoint status --config'))
    .action(async (_flags, command) => {
      const { statusCommand } = await import('#cli/commands/stack.ts');
      exit(await statusCommand(context, command.optsWithGlobals()));
    });
}

/** One process each, for the distributed form. Settings come from the environment (`status --config` shows them). */
export function addProcessCommands({ program, context, exit }: Registrar): void {
  const become = async (entry: Entry, argv: readonly string[]): Promise<void> => {
    const { runEntry } = await import('#cli/commands/own-process.ts');
    exit(await runEntry(context, entry, argv));
  };
  program
    .command('worker')
    .summary('run a worker: control or host')
    .description('Runs a worker in this process: `control` carries runs, `host` executes agents and commands.')
    .addArgument(new Argument('<kind>', 'which worker').choices(['control', 'host']))
    .addHelpText('after', examples('setpoint worker control', 'setpoint worker host'))
    .action((kind: string) => become(kind === 'host' ? 'workers/host.js' : 'workers/control.js', []));
  program
    .command('api')
    .summary('run the HTTP API')
    .description('Runs the HTTP API in this process.')
    .action(() => become('api/main.js', []));
  program
    .command('migrate')
    .summary('bring the database to this version')
    .description('Brings the database of SETPOINT_DATABASE_URL to this version. Safe to run twice.')
    .action(() => become('workers/migrate.js', []));
  program
    .command('mcp')
    .summary('offer the server to an agent as MCP tools')
    .description(
      'Serves the Model Context Protocol on stdin and stdout: tools to look at runs, start and steer them, and decide.\nWhat spends or decides needs a confirmation. An agent starts this command; see docs/guide/mcp.md.',
    )
    .addHelpText('after', examples('claude mcp add setpoint -- setpoint mcp', 'codex mcp add setpoint -- setpoint mcp'))
    .action(async (_flags, command) => {
      const { mcpCommand } = await import('#cli/commands/mcp.ts');
      exit(await mcpCommand(context, command.optsWithGlobals()));
    });
}

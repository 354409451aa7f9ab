import { examples, type Registrar } from '#cli/program/registrar.ts';

/** Commands for what is left of runs that have ended. */
export function addTidyCommands({ program, context, exit }: Registrar): void {
  program
    .command('cleanup')
    .summary('remove the worktree of a run that has ended')
    .description(
      'Removes the worktree of a run that has ended, on its host. Its events, logs, artifacts and snapshots stay, so that `show`, `diff` and `retry` go on working.\nRefused while the worktree holds work that no snapshot or commit holds.',
    )
    .argument('<run>', 'id of a run')
    .option('--snapshots', 'remove the refs of its snapshots too: then it has no diff and no retry')
    .option('--dry-run', 'tell what would be removed; remove nothing')
    .option('--json', 'what was removed as one JSON line')
    .addHelpText('after', examples('setpoint cleanup run_01H… --dry-run', 'setpoint cleanup run_01H… --snapshots'))
    .action(async (run: string, _flags, command) => {
      const { cleanupCommand } = await import('#cli/commands/cleanup.ts');
      exit(await cleanupCommand(context, run, command.optsWithGlobals()));
    });
}

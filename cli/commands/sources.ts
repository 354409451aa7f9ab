import { everyPage } from '#cli/client/library-client.ts';
import { openLibrary } from '#cli/commands/open-library.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { shortTime, tellList } from '#cli/render/listing.ts';
import type { GlobalFlags } from '#cli/settings.ts';

export interface SourceFlags extends GlobalFlags {
  json?: boolean;
}

/** `setpoint source on|off LABEL`: lets the runs of a label go on, or has them begin no new pass (E-19). */
export async function switchSource(
  context: CliContext,
  { label, on }: { label: string; on: boolean },
  flags: SourceFlags,
): Promise<ExitCode> {
  const source = await (await openLibrary(context, flags)).client.putSource(label, { on });
  const what = on
    ? `"${label}" is on: its runs go on, and new ones start.`
    : `"${label}" is off: its runs finish the pass that is under way and begin no other; new ones wait.`;
  if (flags.json === true || !context.terminal.interactive) {
    context.terminal.err(what);
    context.terminal.out(JSON.stringify(source));
  } else {
    context.terminal.out(what);
  }
  return exitCodes.succeeded;
}

/** `setpoint source list`: the labels that were ever switched; `--json` gives one a line. */
export async function listSources(context: CliContext, flags: SourceFlags): Promise<ExitCode> {
  const { client } = await openLibrary(context, flags);
  const found = await everyPage(
    (query) => client.sources(query),
    (page) => page.sources,
  );
  tellList(context.terminal, found, {
    json: flags.json,
    empty: 'No source was ever switched: all are on. `setpoint source off LABEL` switches one off.',
    head: ['SOURCE', 'STATE', 'BY', 'SINCE'],
    row: ({ label, on, changedBy, changedAt }) => [label, on ? 'on' : 'off', changedBy, shortTime(changedAt)],
  });
  return exitCodes.succeeded;
}

import type { RunListed } from '#core/contract/http.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { money } from '#cli/render/amount.ts';
import { placeText } from '#cli/render/child-lines.ts';
import { standstillText } from '#cli/render/standstill-text.ts';
import { tableLines } from '#cli/render/table.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface RunsFlags extends GlobalFlags {
  status?: string;
  label?: string;
  parent?: string;
  search?: string;
  limit: number;
  json?: boolean;
}

/** `setpoint runs`: newest first, with why a run does not move and what clears it (E2), a child run with its parent; `--json` gives one run a line. */
export async function runsCommand(context: CliContext, flags: RunsFlags): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  const query = {
    ...(flags.status === undefined ? {} : { status: flags.status }),
    ...(flags.label === undefined ? {} : { label: flags.label }),
    ...(flags.parent === undefined ? {} : { parent: flags.parent }),
    ...(flags.search === undefined ? {} : { q: flags.search }),
    ...(settings.project === undefined ? {} : { project: settings.project }),
  };
  const runs: RunListed[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.runs({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    runs.push(...page.runs);
    cursor = page.runs.length === 0 ? undefined : page.cursor;
  } while (cursor !== undefined && runs.length < flags.limit);
  show(context, runs.slice(0, flags.limit), flags.json ?? false);
  return exitCodes.succeeded;
}

function show(context: CliContext, runs: readonly RunListed[], json: boolean): void {
  if (json) {
    for (const run of runs) context.terminal.out(JSON.stringify(run));
    return;
  }
  if (runs.length === 0) {
    context.terminal.err('No runs. `setpoint run FILE` starts one; `setpoint demo` shows how it works.');
    return;
  }
  const rows = runs.map((run) => [
    run.runId,
    run.summary.stop?.kind ?? run.summary.status,
    String(run.summary.passes),
    money(run.summary.spendUsd),
    run.project,
    run.createdAt.slice(0, 19).replace('T', ' '),
    run.parent === undefined ? run.name : `${run.name} (${run.parent.runId} ${placeText(run.parent)})`,
  ]);
  const [head = '', ...lines] = tableLines([
    ['RUN', 'STATE', 'PASSES', 'SPEND', 'PROJECT', 'STARTED', 'NAME'],
    ...rows,
  ]);
  context.terminal.out(context.terminal.paint('dim', head));
  lines.forEach((line, index) => {
    context.terminal.out(line);
    const run = runs[index];
    const stands = run === undefined ? undefined : standstillText(run);
    if (stands !== undefined) context.terminal.out(context.terminal.paint('warn', `  └ ${stands}`));
  });
}

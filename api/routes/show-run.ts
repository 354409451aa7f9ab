import type { RunListed, RunShown } from '#core/contract/http.ts';
import { present } from '#core/definition/present.ts';
import type { RunRow } from '#infra/postgres/run-store.ts';
import { foldRecord } from '#infra/temporal/reseat.ts';
import type { ApiParts } from '#api/parts.ts';
import { withHost } from '#api/why.ts';

/** A run as one call shows it: the fold of its record, with why it does not move (E2). */
export async function showRun({ runs, hosts, steering }: ApiParts, run: RunRow): Promise<RunShown> {
  const [{ state, seq }, summary, children, forks] = await Promise.all([
    foldRecord(runs, run),
    withHost(run.summary, hosts),
    runs.list({ filter: { parent: run.runId }, limit: mostChildren }),
    steering.forksOf(run.runId),
  ]);
  const { plan, inputs } = run;
  const shown = { plan, inputs, state, cursor: seq, children: children.toReversed(), forks };
  return { ...listedRun(run), summary, ...shown };
}

const mostChildren = 1_000;

export function listedRun(run: RunRow): RunListed {
  const { runId, name, project, labels, createdAt, updatedAt, createdBy, parent, forkedFrom, priority, summary } = run;
  return {
    runId,
    name,
    project,
    labels,
    createdAt,
    updatedAt,
    priority,
    ...present({ createdBy, parent, forkedFrom }),
    summary,
  };
}

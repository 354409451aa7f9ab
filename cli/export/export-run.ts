import type { RunListed } from '#core/contract/http.ts';
import { feedbackDocument, routedFeedback, textsShown } from '#core/feedback/routed.ts';
import { fold } from '#core/run/apply.ts';
import type { StoredEvent } from '#core/run/event.ts';
import { planNow } from '#core/run/plan-now.ts';

import type { ApiClient } from '#cli/client/api-client.ts';
import { ApiProblem } from '#cli/client/api-problem.ts';
import { type ExportedFile, exportedFiles, writeExport } from '#cli/export/export-files.ts';
import { finalReport } from '#cli/export/final-report.ts';
import { planOf } from '#cli/follow/plan-of.ts';

interface Exported {
  listed: RunListed;
  /** The server's answer as it came. */
  whole: unknown;
  events: readonly StoredEvent[];
}

/** Where to, and whether the files of another run may be replaced. */
interface ExportTo {
  folder: string;
  force: boolean;
}

/** `setpoint show RUN --export FOLDER` (T-28): a run as files, whose names it returns. Throws as `writeExport` and the client. */
export async function exportRun(client: ApiClient, run: Exported, to: ExportTo): Promise<readonly ExportedFile[]> {
  const plan = planOf(run.whole);
  const events = run.events.map(({ event }) => event);
  const routed = routedFeedback(plan, events);
  const texts: Record<ExportedFile, string> = {
    'state.json': pretty(run.whole),
    'plan.json': pretty(planNow(plan, fold(plan, events))),
    'events.jsonl': run.events.map((stored) => `${JSON.stringify(stored)}\n`).join(''),
    'feedback.md': feedbackDocument(routed, { texts: await fetchTexts(client, textsShown(routed)), timeText }),
    'final-report.json': pretty(finalReport(run.listed, plan, events)),
  };
  await writeExport({ runId: run.listed.runId, texts, ...to });
  return exportedFiles;
}

/** One after another: a long run has hundreds. */
async function fetchTexts(client: ApiClient, digests: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const sha256 of digests) {
    const text = await client.artifact(sha256).catch((error: unknown) => {
      // Its excerpt stands in for it.
      if (error instanceof ApiProblem && error.problem.status === 404) return undefined;
      throw error;
    });
    if (text !== undefined) texts.set(sha256, text);
  }
  return texts;
}

const timeText = (at: number): string => new Date(at).toISOString();

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

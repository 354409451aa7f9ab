import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { RunListed } from '#core/contract/http.ts';
import type { RunEventOf, StoredEvent } from '#core/run/event.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { duration } from '#cli/render/amount.ts';
import { eventLines, type Line } from '#cli/render/event-lines.ts';
import { closingLines, goOnLines, outcomeOf, whyLines } from '#cli/render/outcome.ts';
import { advance, newProgress } from '#cli/render/progress.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface ShowFlags extends GlobalFlags {
  json?: boolean;
  export?: string;
}

/** `setpoint show RUN`: what it is, what its last pass found, why it does not move. `--json` is the server's answer. */
export async function showCommand(context: CliContext, runId: string, flags: ShowFlags): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  const { listed, whole } = await client.run(runId);
  if (flags.export !== undefined) {
    const folder = resolve(context.cwd, flags.export);
    await exportRun(folder, { listed, whole, events: await client.events(runId) });
    context.terminal.err(`Written to ${folder}: state.json, events.jsonl, feedback.md, final-report.json`);
    return exitCodes.succeeded;
  }
  if (flags.json === true) {
    context.terminal.out(JSON.stringify(whole));
    return exitCodes.succeeded;
  }
  for (const line of shownLines(listed, await client.events(runId))) {
    context.terminal.out(context.terminal.paint(line.tone, line.text));
  }
  return exitCodes.succeeded;
}

/** Pure: head, the last attempt and verdicts of each step, and how to go on. */
function shownLines(run: RunListed, events: readonly StoredEvent[]): Line[] {
  const spanMs = Date.parse(run.updatedAt) - Date.parse(run.createdAt);
  const head: Line[] = [
    { tone: 'strong', text: `${run.name} (${run.runId}, project ${run.project})` },
    { tone: 'dim', text: `started ${run.createdAt}, last change ${duration(spanMs)} later` },
  ];
  const last = lastPasses(events).flatMap((stored) => eventLines(stored.event));
  const now = nowLines(events, Date.now());
  if (run.summary.status !== 'running' || now.length === 0) return [...head, ...last, ...closingLines(run)];
  return [...head, ...last, ...now, ...whyLines(run.summary), ...goOnLines(run)];
}

/** What each step does at `nowMs` (epoch), and for how long. */
function nowLines(events: readonly StoredEvent[], nowMs: number): Line[] {
  const progress = newProgress({ steps: [] });
  for (const { event } of events) advance(progress, event);
  return [...progress.running.values()].map(({ step, pass, doing, since }) => {
    const inPass = pass > 0 ? ` pass ${pass}` : '';
    const what = doing === 'works' ? '' : ` ${doing}`;
    return { tone: 'plain', text: `▶ ${step}${inPass}${what}, for ${duration(nowMs - since)}` };
  });
}

/** The finished attempts and verdicts of the last pass of each step, in the order in which they came. */
function lastPasses(events: readonly StoredEvent[]): StoredEvent[] {
  const passes = new Map<string, number>();
  for (const { event } of events) {
    if ('step' in event) passes.set(event.step, Math.max(passes.get(event.step) ?? 0, event.pass));
  }
  return events.filter(
    ({ event }) =>
      (event.type === 'attempt.finished' || event.type === 'check.judged') && event.pass === passes.get(event.step),
  );
}

/** The state of a run as files (T-28). */
async function exportRun(
  folder: string,
  run: { listed: RunListed; whole: unknown; events: readonly StoredEvent[] },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lines = run.events.map((stored) => `${JSON.stringify(stored)}\n`).join('');
  await Promise.all([
    writeFile(join(folder, 'state.json'), json(run.whole)),
    writeFile(join(folder, 'events.jsonl'), lines),
    writeFile(join(folder, 'feedback.md'), feedbackOf(run.events)),
    writeFile(join(folder, 'final-report.json'), json({ ...outcomeOf(run.listed), summary: run.listed.summary })),
  ]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What the last verdicts that did not pass tell the next pass. */
function feedbackOf(events: readonly StoredEvent[]): string {
  const verdicts = lastPasses(events)
    .map((stored) => stored.event)
    .filter((event): event is RunEventOf<'check.judged'> => event.type === 'check.judged');
  const failing = verdicts.filter((event) => event.verdict.kind !== 'pass');
  const blocks = failing.map(({ step, check, pass, verdict }) => {
    const excerpt = verdict.evidence.feedback?.excerpt ?? verdict.evidence.log?.excerpt ?? '';
    return `## ${step} · ${check}, pass ${pass}: ${verdict.kind}\n\n${verdict.evidence.summary}\n\n${excerpt}\n`;
  });
  return blocks.length === 0 ? 'Every check of the last pass passed.\n' : blocks.join('\n');
}

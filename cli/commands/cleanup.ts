import type { CleanedUp, CleanupShown } from '#core/contract/cleanup.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { count } from '#cli/render/amount.ts';
import type { Line } from '#cli/render/line.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface CleanupFlags extends GlobalFlags {
  snapshots?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/**
 * `setpoint cleanup RUN` (T-29): has the run's host remove its worktree. Exit 0 when that is done, was done before, or
 * is done as soon as the host is back; 2 when the run has not ended or the worktree holds unsaved work.
 */
export async function cleanupCommand(context: CliContext, runId: string, flags: CleanupFlags): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  const { snapshots = false, dryRun = false } = flags;
  const shown = await client.cleanup(runId, { snapshots, dryRun });
  if (flags.json === true || !context.terminal.interactive) {
    context.terminal.out(JSON.stringify(shown));
    return exitCodes.succeeded;
  }
  for (const line of cleanupLines(shown)) context.terminal.out(context.terminal.paint(line.tone, line.text));
  return exitCodes.succeeded;
}

function cleanupLines({ runId, status, removed, why }: CleanupShown): Line[] {
  if (removed === undefined) {
    return [
      { tone: 'warn', text: `${runId} is to be cleaned up. ${why ?? ''}`.trimEnd() },
      { tone: 'plain', text: `  look again  setpoint cleanup ${runId}` },
    ];
  }
  const lines = removedTexts(removed).map((text): Line => {
    return status === 'dry_run'
      ? { tone: 'plain', text: `would remove ${text}` }
      : { tone: 'good', text: `✓ removed ${text}` };
  });
  if (lines.length === 0) lines.push({ tone: 'plain', text: `${runId} has no worktree: there is nothing to remove` });
  return [...lines, ...keptLines(runId, removed)];
}

function removedTexts({ worktree, readers, snapshots, artifacts }: CleanedUp): string[] {
  return [
    ...(worktree === null ? [] : [`the worktree ${worktree}`]),
    ...(readers === 0 ? [] : [count(readers, 'checkout that a crash had left', 'checkouts that a crash had left')]),
    ...(snapshots === 0 ? [] : [count(snapshots, 'ref of its snapshots', 'refs of its snapshots')]),
    ...(artifacts === undefined || artifacts.list === null ? [] : [folderText(artifacts)]),
  ];
}

function folderText({ path, files }: NonNullable<CleanedUp['artifacts']>): string {
  return `the folder of artifacts ${path}; ${count(files, 'file of it is', 'files of it are')} in the store`;
}

function keptLines(runId: string, { keptRefs, artifacts }: CleanedUp): Line[] {
  const kept = count(keptRefs, 'ref with a delivery or other work', 'refs with a delivery or other work');
  const refs: Line = { tone: 'dim', text: `  kept ${kept}: git for-each-ref refs/setpoint/${runId}` };
  const folder: Line[] =
    artifacts?.list === null
      ? [{ tone: 'warn', text: `  left the folder of artifacts ${artifacts.path}: it is too large for the store` }]
      : [];
  return [...(keptRefs === 0 ? [] : [refs]), ...folder];
}

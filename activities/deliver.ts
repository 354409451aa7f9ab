import { resolve } from 'node:path';
import type { DeliverInput } from '#core/contract/activities.ts';
import type { DeliveryDone } from '#core/run/event.ts';
import { renderPrompt, templateScope } from '#core/template/render.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { asTask } from '#activities/task.ts';
import { worktreesOf } from '#activities/workspace/lanes.ts';
import { deliverBranch, deliverCommit } from '#infra/git/delivery.ts';
import { closeWorktree } from '#infra/git/worktree.ts';

const author = { name: 'Setpoint', email: 'setpoint@localhost' };

/**
 * Delivers exactly the verified tree (G1, G2): get-or-create, so a second try delivers the same commit. The worktree
 * goes once the result is safe in the repository, unless handlers still work in it. Faults: `delivery/*`, `workspace/*`.
 */
export function deliver(deps: HostDeps, input: DeliverInput): Promise<DeliveryDone> {
  return asTask(deps, `${input.runId}/@deliver`, async () => {
    const { mode } = input.delivery;
    const done = await byMode(input, mode === 'commit' ? 'commit' : 'branch');
    const nothingToDeliver = done.kind !== 'delivered';
    if (input.stays !== true) await closeAll(input.workspace);
    return {
      mode,
      nothingToDeliver,
      ...(done.kind === 'delivered' ? { commit: done.commit } : {}),
      ...(done.kind === 'delivered' && done.branch !== undefined ? { branch: done.branch } : {}),
    };
  });
}

async function closeAll({ plan, path }: DeliverInput['workspace']): Promise<void> {
  for (const worktree of await worktreesOf(plan, path)) await closeWorktree({ path: worktree });
}

function byMode(input: DeliverInput, mode: 'commit' | 'branch') {
  const { runId, workspace, delivery, verified, atMs } = input;
  const values = { inputs: input.scope.inputs, outputs: {}, feedback: '', iteration: 0, run: input.scope.run };
  const render = (template: string) => renderPrompt(template, templateScope(values));
  const commit = {
    repo: resolve(workspace.plan.repo),
    runId,
    base: workspace.base.commit,
    snapshotTree: verified.tree,
    message: messageOf(input, render),
    author: { ...author, at: new Date(atMs).toISOString() },
  };
  switch (mode) {
    case 'commit':
      return deliverCommit(commit);
    case 'branch':
      return deliverBranch({ ...commit, branch: render(delivery.branch ?? `setpoint/${runId}`) });
    default:
      return unreachable(mode);
  }
}

function messageOf({ delivery, name, runId }: DeliverInput, render: (template: string) => string): string {
  const title = render(delivery.title ?? name);
  const body = delivery.body === undefined ? '' : `${render(delivery.body)}\n\n`;
  return `${title}\n\n${body}Setpoint-Run: ${runId}\n`;
}

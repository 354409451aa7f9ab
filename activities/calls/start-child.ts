import { ulid } from 'ulid';
import type { StartChildInput } from '#core/contract/activities.ts';
import { Fault } from '#core/contract/fault.ts';
import { present } from '#core/definition/present.ts';
import { resolveInputs } from '#core/plan/inputs.ts';
import { childKey, childPlan } from '#core/run/child-plan.ts';
import { renderedText } from '#activities/attempt/render.ts';
import type { CallDeps } from '#activities/calls/call-deps.ts';
import { digestOf } from '#activities/texts.ts';
import { firstSeat } from '#infra/temporal/reseat.ts';

/**
 * The child run of a place in its parent: made the first time, found ever after, so that two workers at once start one. A
 * child whose workflow could not be started is the sweeper's. Faults: `call/inputs-invalid`, `template/unresolved`,
 * `store/*`.
 */
export async function startChild(deps: CallDeps, input: StartChildInput): Promise<{ runId: string }> {
  const { runs, engine } = deps.messaging;
  const parent = await runs.find(input.parent.runId);
  if (parent === undefined) {
    throw new Fault(
      'store/unavailable',
      `The run ${input.parent.runId} is not in the database. Bring its record back.`,
    );
  }
  const key = childKey(input.parent);
  const started = await runs.start({
    runId: `run_${ulid().toLowerCase()}`,
    idempotencyKey: key,
    // What the parent has left may be less when it asks again; its place is what makes it the same child.
    bodySha256: digestOf(key),
    plan: childPlan(input, { project: parent.project, labels: parent.labels }),
    inputs: await inputsOf(deps, input),
    parent: input.parent,
    ...present({ createdBy: parent.createdBy, priority: input.priority ?? parent.priority }),
  });
  if (started.kind === 'conflict') {
    const message = `Another start took the key ${key}, and with it the place of this child: ${started.runId}.`;
    throw new Fault('call/inputs-invalid', `${message} Retry the run, and use no key that begins with child:.`);
  }
  const { run } = started;
  if (run.summary.seq === 0 && run.seat === 1) await engine.startSeat(firstSeat(run));
  return { runId: run.runId };
}

async function inputsOf(
  deps: CallDeps,
  { plan, inputs, scope, parent }: StartChildInput,
): Promise<Record<string, string>> {
  const rendered = await Promise.all(
    Object.entries(inputs).map(async ([name, template]) => [name, await renderedText(deps, template, scope)] as const),
  );
  const resolved = resolveInputs(plan, Object.fromEntries(rendered));
  if (resolved.kind === 'inputs') return resolved.inputs;
  const said = resolved.issues.map(({ message }) => message).join('; ');
  throw new Fault('call/inputs-invalid', `Step ${parent.step} cannot start ${plan.name}: ${said}.`);
}

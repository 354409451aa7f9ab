import { unreachable } from '#core/exhaustive.ts';
import { handlersOf } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';

/** The plan as a Mermaid flowchart, for `setpoint plan --graph`: steps, what waits for what, loops as dotted arrows (V-29). */
export function graphOf(plan: Plan): string {
  const lines = ['flowchart TD'];
  const nodes = new Map(plan.steps.map((step, index) => [step.id, `n${index}`]));
  for (const step of plan.steps) lines.push(`  ${nodes.get(step.id)}["${label(step)}"]`);
  for (const step of plan.steps) {
    for (const id of step.after) lines.push(`  ${nodes.get(id)} --> ${nodes.get(step.id)}`);
  }
  for (const step of plan.steps) {
    if (step.loop === undefined) continue;
    const limit = step.loop.limit === null ? 'no count' : `at most ${step.loop.limit}`;
    const when = step.work.kind === 'person' ? 'rejected' : `on ${step.loop.on}`;
    lines.push(`  ${nodes.get(step.id)} -. "${when}, ${limit}" .-> ${nodes.get(step.loop.to)}`);
  }
  return `${[...lines, ...handlerLines(plan)].join('\n')}\n`;
}

/** D-14: what runs at the end, apart from the steps. */
function handlerLines(plan: Plan): string[] {
  const handlers = handlersOf(plan).map((handler, index) => `    h${index}["${label(handler)}"]`);
  return handlers.length === 0 ? [] : ['  subgraph handlers', ...handlers, '  end'];
}

function label(step: StepPlan): string {
  const work = workOf(step);
  const mark = step.loop === undefined ? '' : ' ↺';
  return `${escaped(step.name)}${mark}<br/>${escaped(work)}`;
}

function workOf({ work }: StepPlan): string {
  switch (work.kind) {
    case 'agent':
      return work.agent.name;
    case 'run':
      return 'command';
    case 'person':
      return work.who.length === 0 ? 'a person' : work.who.join(', ');
    case 'call':
      return `${work.each === undefined ? 'calls' : 'for each, calls'} ${work.definition}`;
    default:
      return unreachable(work);
  }
}

/** Mermaid reads HTML entities in quoted labels; nothing else may end the quotes or begin a tag. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} _.,:/-]/gu, (character) => `#${character.codePointAt(0) ?? 0};`);
}

import { errorAt, type Issue } from '#core/issue/issue.ts';
import { counted, kibibytes } from '#core/plan/amounts.ts';
import type { Plan } from '#core/plan/plan.ts';
import { utf8Bytes } from '#core/text/utf8-bytes.ts';

/**
 * What a plan may weigh: the bytes of its JSON, with the plans that it calls, and `stepBytes` for each step of its own. The
 * engine carries 2 MiB in one piece, packed. What a run hands over to its next history holds an edited plan up to three
 * times (as it was started, as it is now, and its steps as they were when their pass began), the inputs, and of each step
 * what is known of it: about three times `stepBytes` where it has a result with a whole excerpt.
 */
export const mostPlanBytes = 3 * 1024 * 1024;

/** What the JSON of a plan may weigh packed, so that three of it and the state fit. */
export const mostPackedBytes = 384 * 1024;
export const stepBytes = 1024;

/** Bytes of JSON that the inputs of a run may have together. */
export const mostInputBytes = 256 * 1024;

/** A plan that the engine could not carry through a whole run is refused before anything runs. */
export function checkSize(plan: Plan): Issue[] {
  const bytes = bytesOf(plan) + plan.steps.length * stepBytes;
  if (bytes <= mostPlanBytes) return [];
  const largest = largestPart(plan);
  const message = `the plan weighs ${kibibytes(bytes)}, with ${kibibytes(stepBytes)} for what a run keeps of each of its ${counted(plan.steps.length, 'step', 'steps')}, and most is ${largest.what} (${kibibytes(largest.bytes)}); at most ${kibibytes(mostPlanBytes)} can be carried: move long texts into files of the repository, or split the work into several definitions`;
  return [errorAt(largest.path, 'definition/too-large', message)];
}

/** So many steps that no plan of them could be carried, whatever they say: told before each of them is compiled. */
export function checkStepCount(steps: number): Issue[] {
  if (steps * stepBytes <= mostPlanBytes) return [];
  const message = `the definition has ${counted(steps, 'step', 'steps')}, and a run keeps ${kibibytes(stepBytes)} for each; at most ${kibibytes(mostPlanBytes)} can be carried: split the work into several definitions`;
  return [errorAt('steps', 'definition/too-large', message)];
}

interface Part {
  path: string;
  what: string;
  bytes: number;
}

function largestPart({ steps, children = {}, ...rest }: Plan): Part {
  const parts: Part[] = [
    { path: '', what: 'what it says beside its steps', bytes: bytesOf(rest) },
    ...steps.map((step) => ({ path: `steps.${step.id}`, what: `step \`${step.id}\``, bytes: bytesOf(step) })),
    ...Object.entries(children).map(([name, child]) => {
      return { path: 'steps', what: `the definition \`${name}\` that it calls`, bytes: bytesOf(child) };
    }),
  ];
  return parts.reduce((most, part) => (part.bytes > most.bytes ? part : most));
}

function bytesOf(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}

import type { Field } from '#dialects/source/reading.ts';
import { lastKey } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

/** `steps.work.output`, read as the step's id. */
export const outputOf: Field<string> = (node, path, reading) => {
  const written = text(node, path, reading);
  if (written === undefined) return undefined;
  const step = /^steps\.([^.\s]+)\.output$/.exec(written)?.[1];
  if (step !== undefined) return step;
  const message = `\`${lastKey(path)}\` names the output of a step: write \`steps.<id>.output\`, not \`${written.slice(0, 80)}\``;
  reading.report(path, 'check/bad-reference', message);
  return undefined;
};

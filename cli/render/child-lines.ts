import type { RunListed } from '#core/contract/http.ts';

import { money } from '#cli/render/amount.ts';
import type { Line } from '#cli/render/line.ts';
import { standstillText } from '#cli/render/standstill-text.ts';

const mostShown = 50;

type Child = Pick<RunListed, 'runId' | 'name' | 'parent' | 'summary'>;

/** The child runs of a run, in the order in which they were started: state, spend, and why one does not move (E2). */
export function childLines(runId: string, children: readonly Child[]): Line[] {
  const lines = children.slice(-mostShown).flatMap(linesOf);
  const more = children.length - mostShown;
  if (more <= 0) return lines;
  return [{ tone: 'dim', text: `  … ${more} before these: setpoint runs --parent ${runId}` }, ...lines];
}

function linesOf({ runId, name, parent, summary }: Child): Line[] {
  const state = summary.stop?.kind ?? summary.status;
  const spend = summary.spendUsd > 0 ? `, ${money(summary.spendUsd)}` : '';
  const tone = summary.stop === undefined ? 'plain' : summary.stop.kind === 'succeeded' ? 'good' : 'bad';
  const line: Line = { tone, text: `  ${placeText(parent)}: ${name} ${runId} ${state}${spend}` };
  const stands = standstillText({ runId, summary });
  return stands === undefined ? [line] : [line, { tone: 'warn', text: `    └ ${stands}` }];
}

/** A child's place, such as `call[2]` or, in a later pass, `call#2[0]`. */
export function placeText(parent: RunListed['parent']): string {
  if (parent === undefined) return '';
  return `${parent.step}${parent.pass > 1 ? `#${parent.pass}` : ''}[${parent.index}]`;
}

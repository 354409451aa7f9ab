import { stringify } from 'yaml';

import { present } from '#core/definition/present.ts';
import type { DeliveryPlan } from '#core/plan/plan.ts';
import { literalTemplate } from '#core/template/literal.ts';

/** A loop of one agent and its checks, as a form or a suggestion has it. */
export interface TaskLoop {
  name: string;
  /** Lines above it. */
  comments: readonly string[];
  task: string;
  agent: string;
  mode: 'all' | 'any';
  checks: readonly TaskCheck[];
  passes: number;
  /** As written: `2h`, `5 USD`. */
  time?: string | undefined;
  spend?: string | undefined;
  base?: string | undefined;
  setup?: string | undefined;
  protect?: readonly string[] | undefined;
  deliver: DeliveryPlan['mode'];
}

export type TaskCheck =
  | { kind: 'command'; name: string; run: string; why?: string }
  | { kind: 'review'; name: string; criterion: string; agent?: string; why?: string };

const width = 110;

/** Its native file, in the short form. What a person or an agent wrote is literal: no `{{` in it is a template. */
export function taskDefinition(loop: TaskLoop): string {
  const head = loop.comments.flatMap((comment) => commentLines(comment)).join('\n');
  const { base, setup, protect } = loop;
  const parts = [
    yaml({ setpoint: 1, name: loop.name, task: literalTemplate(loop.task), agent: loop.agent }),
    `checks:\n${loop.checks.map((check) => checkText(check)).join('')}`,
    loop.mode === 'all' ? '' : 'mode: any # one passing check is enough\n',
    yaml({ limits: present({ passes: loop.passes, time: loop.time, spend: loop.spend }) }),
    yaml({ workspace: { repo: '.', ...present({ base, setup, protect }) } }),
    yaml({ deliver: loop.deliver }),
  ];
  return `${head === '' ? '' : `${head}\n`}${parts.join('')}`;
}

function checkText(check: TaskCheck): string {
  const comment =
    check.why === undefined
      ? ''
      : commentLines(check.why)
          .map((line) => `  ${line}\n`)
          .join('');
  return `${comment}${yaml([written(check)]).replaceAll(/^(?=.)/gm, '  ')}`;
}

function written(check: TaskCheck): object {
  if (check.kind === 'command') return { name: check.name, run: literalTemplate(check.run) };
  const { name, criterion, agent } = check;
  return { name, review: { ...present({ agent }), criterion: literalTemplate(criterion) } };
}

function yaml(value: object): string {
  return stringify(value, { lineWidth: width });
}

/** A text as comment lines of one paragraph. */
function commentLines(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

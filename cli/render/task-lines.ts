import type { Decision, Question } from '#core/task/question.ts';
import { oneLine } from '#core/text/quote.ts';

import type { Line } from '#cli/render/line.ts';

/** What is asked (D1), who may decide until when, and the commands that decide. Pure. */
export function taskLines(task: string, question: Question): Line[] {
  const { ask, who, quorum, shown, form, pushBackForm, expiresAt, backTo } = question;
  const facts = [
    who.length === 0 ? [] : [`for ${who.join(', ')}`],
    quorum > 1 ? [`${quorum} people must approve`] : [],
    question.notAuthor ? ['not whoever started the run'] : [],
    expiresAt === undefined ? [] : [`until ${new Date(expiresAt).toISOString()}`],
  ].flat();
  return [
    ...ask.text.split('\n').map((line, index): Line => {
      return { tone: 'strong', text: index === 0 ? `? ${line}` : `  ${line}` };
    }),
    ...(facts.length === 0 ? [] : [dim(`  ${facts.join('; ')}`)]),
    ...(shown.length === 0
      ? []
      : [dim(`  beside it: ${shown.map(({ name }) => name).join(', ')} (setpoint tasks show ${task})`)]),
    ...decisionLines(task, { flags: formFlags(form), backFlags: formFlags(pushBackForm), back: backTo.length > 0 }),
  ];
}

/**
 * The commands that decide a task; `flags` are those that its form asks for, `backFlags` those of a push back's own,
 * `back` whether it may be pushed back.
 */
export function decisionLines(
  task: string,
  options: { flags?: string; backFlags?: string; back?: boolean } = {},
): Line[] {
  const { flags = '', backFlags = '', back = true } = options;
  const lines = [`  approve   setpoint approve ${task}${flags}`, `  reject    setpoint reject ${task}`];
  if (back) lines.push(`  push back setpoint push-back ${task}${backFlags} --message "what is to change"`);
  return lines.map((text) => ({ tone: 'warn', text }));
}

/** ` --set risk="<string>"` for each field of a form, those that may be left out in brackets. */
function formFlags(form: Question['form']): string {
  const fields = Object.entries(recordOf(form?.['properties']));
  const required = form?.['required'];
  const must = Array.isArray(required) ? required : [];
  return fields
    .map(([name, schema]) => {
      const type = recordOf(schema)['type'];
      // In quotes: a shell would take what stands there to be filled in for a file.
      const flag = `--set ${name}="<${typeof type === 'string' ? type : 'value'}>"`;
      return must.includes(name) ? ` ${flag}` : ` [${flag}]`;
    })
    .join('');
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** `anna approved: looks good`, with what is still missing when it does not decide alone. */
export function decisionText({ decision, final }: { decision: Decision; final: boolean }): string {
  const said = { approve: 'approved', reject: 'rejected', push_back: 'pushed back' }[decision.kind];
  const to = decision.to === undefined ? '' : ` to ${decision.to}`;
  return `${decision.by} ${said}${to}${saying(wordsOf(decision))}${final ? '' : ' (others are still to answer)'}`;
}

/** The comment, then the fields of a form. */
function wordsOf({ comment, form = {} }: Decision): string {
  const fields = Object.entries(form).map(([name, value]) => {
    return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return [comment, ...fields].filter((words) => words.trim() !== '').join('; ');
}

/** `: what somebody said`, in one line; the whole reaches the next pass and stands in `show --export`. */
export function saying(comment: string): string {
  const line = oneLine(comment, 200);
  return line === '' ? '' : `: ${line}`;
}

function dim(text: string): Line {
  return { tone: 'dim', text };
}

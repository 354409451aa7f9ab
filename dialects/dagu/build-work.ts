import type { StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { unreachable } from '#core/exhaustive.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import { literalTemplate } from '#core/template/literal.ts';
import type { BuildOf } from '#dialects/dagu/build-of.ts';
import type { ListItem } from '#dialects/dagu/child-call.ts';
import { commandOf } from '#dialects/dagu/command.ts';
import type { WrittenStep } from '#dialects/dagu/read-steps.ts';
import type { Shell } from '#dialects/dagu/shell.ts';
import type { StepWork } from '#dialects/dagu/step-work.ts';
import type { TextScope } from '#dialects/dagu/texts.ts';
import { plainText } from '#dialects/dagu/texts.ts';
import { refersToValue } from '#dialects/dagu/values.ts';

interface Built {
  work: StepDefinition['work'];
  readOnly?: true;
  loop?: StepDefinition['loop'];
}

/** What a step does, with the way back of a question. */
export function builtWork(step: WrittenStep, of: BuildOf, shell: Shell | undefined): Built {
  const { read, work } = step;
  const { scope } = of;
  switch (work.kind) {
    case 'run': {
      const streams = present({ stdout: read.stdout?.file, stderr: read.stderr?.file, outputs: read.outputs });
      const { positional } = of;
      const command = commandOf({ work: work.work, positional, streams, ...present({ shell }) }, scope);
      return { work: { kind: 'run', command } };
    }
    case 'agent':
      return builtAgent(step, work, of);
    case 'person':
      return builtPerson(work, of);
    case 'call':
      return { work: builtCall(work, of) };
    default:
      return unreachable(work);
  }
}

function builtAgent(step: WrittenStep, { harness }: Extract<StepWork, { kind: 'agent' }>, { scope }: BuildOf): Built {
  const { agent, prompt, stdin, readOnly } = harness;
  const { reading, environment } = scope;
  for (const [key, stream] of Object.entries({ stdout: step.read.stdout, stderr: step.read.stderr })) {
    if (stream?.file === undefined) continue;
    const message = `\`${key}\` of an agent goes into the folder of artifacts; write \`${key}: {artifact: NAME}\``;
    reading.report(stream.file.path, 'dialect/not-run', message);
  }
  for (const { name, value } of step.read.env ?? []) {
    if (environment.get(name)?.kind !== 'shell') continue;
    const message = `\`${name}\` would be worked out by a shell, and an agent is started without one; let a step before it print the value with \`output\``;
    reading.report(value.path, 'dialect/not-run', message);
  }
  const parts = [prompt, ...(stdin === undefined ? [] : [stdin])].map((part) => plainText(part, scope));
  return { work: { kind: 'agent', agent, prompt: parts.join('\n\n') }, ...(readOnly ? { readOnly } : {}) };
}

/** D-08, D-09: completing goes on, a push back goes back as often as the person wants, and a rejection ends the run. */
function builtPerson({ task }: Extract<StepWork, { kind: 'person' }>, { scope, words }: BuildOf): Built {
  const { prompt, form, artifacts, pushBack } = task;
  const show = artifacts.map(({ text }) => ({ kind: 'artifact' as const, path: text }));
  const to = pushBack === undefined ? undefined : words.get(pushBack.to.text);
  if (pushBack !== undefined && to === undefined) {
    const hint = didYouMean(pushBack.to.text, words.keys());
    scope.reading.report(
      pushBack.to.path,
      'step/unknown',
      `there is no step \`${pushBack.to.text.slice(0, 80)}\`${hint}`,
    );
  }
  return {
    work: {
      kind: 'person',
      ask: plainText(prompt, scope),
      ...(show.length === 0 ? {} : { show }),
      ...present({ form, pushBackForm: pushBack?.form }),
      ...(to === undefined ? {} : { pushBackLimit: null }),
    },
    ...(to === undefined ? {} : { loop: { to, on: 'fail', limit: 0 } }),
  };
}

type Call = Extract<StepWork, { kind: 'call' }>;

function builtCall({ dag, params, parallel }: Call, { scope }: BuildOf): StepDefinition['work'] {
  const inside = { ...scope, isValue: true, item: parallel !== undefined };
  const given = params.map(({ name, value }) => [name, plainText(value, inside)] as const);
  const inputs = parallel === undefined || params.length > 0 ? given : ofItems(parallel.list, dag.path, scope);
  if (refersToValue(dag.text)) {
    const message = `which DAG is called is fixed in the file; write its name in place of \`${dag.text.slice(0, 80)}\``;
    scope.reading.report(dag.path, 'dialect/not-run', message);
  }
  const name = dag.text.trim().split('/').at(-1);
  return {
    kind: 'call',
    definition: name?.replace(/\.ya?ml$/, '') ?? dag.text,
    ...(inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) }),
    ...(parallel === undefined ? {} : { each: { ...listOf(parallel.list, scope), ...present({ max: parallel.max }) } }),
  };
}

type List = NonNullable<Call['parallel']>['list'];

/** Without `params` Dagu gives the whole item as the parameters of the child: its fields by their names. */
function ofItems(list: List, path: string, { reading }: TextScope): (readonly [string, string])[] {
  const items = Array.isArray(list) ? list.flatMap((item) => (item.kind === 'fields' ? [item.fields] : [])) : [];
  if (Array.isArray(list) && items.length === list.length) {
    return [...new Set(items.flatMap((item) => Object.keys(item)))].map((name) => [name, `{{item.${name}}}`]);
  }
  const message = 'a child gets an item by name: write `params: {NAME: "${ITEM}"}` with the parameter that it is';
  reading.report(path, 'dialect/not-run', message);
  return [];
}

/** Items that are written are texts of the list's own; JSON keeps their ends. */
function listOf(list: List, scope: TextScope): { list: string; split?: 'words' } {
  if (!Array.isArray(list)) return { list: plainText(list, scope), split: 'words' };
  if (list.every((item) => item.kind === 'fields' || !refersToValue(item.written.text))) {
    const items = list.map((item) => (item.kind === 'text' ? item.written.text : item.fields));
    return { list: literalTemplate(JSON.stringify(items)) };
  }
  return { list: list.map((item) => lineOf(item, scope)).join('\n') };
}

/** An item that refers to values is known once they are: it is a line of the list. */
function lineOf(item: ListItem, scope: TextScope): string {
  return item.kind === 'text' ? plainText(item.written, scope) : literalTemplate(JSON.stringify(item.fields));
}

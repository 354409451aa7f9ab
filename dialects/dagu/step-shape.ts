import { executorWay } from '#dialects/dagu/actions.ts';
import { callParams, parallel } from '#dialects/dagu/child-call.ts';
import { preconditions } from '#dialects/dagu/condition.ts';
import { mappingOf } from '#dialects/dagu/keys.ts';
import { declaredOutputs } from '#dialects/dagu/output-file.ts';
import { output, stream } from '#dialects/dagu/output.ts';
import { continueOn, repeatPolicy, retryPolicy } from '#dialects/dagu/policies.ts';
import { shellWords } from '#dialects/dagu/shell.ts';
import { seconds, written, writtenList } from '#dialects/dagu/values.ts';
import { variables } from '#dialects/dagu/variables.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueAt, valueOfNode } from '#dialects/source/node.ts';
import type { Field, ShapeOf } from '#dialects/source/reading.ts';
import { listOf } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

/** A part that is read once its neighbours say how. */
export const anyNode: Field<SourceNode> = (node) => node;

const schema: Field<Record<string, unknown>> = (node, path, reading) => {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a JSON Schema');
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, valueOfNode(value)]));
};

const execMapping = mappingOf({ shape: { command: written, args: listOf(written, 'a list of arguments') } });

/** White space around a name is not part of it. */
const trimmed: Field<string> = (node, path, reading) => text(node, path, reading)?.trim();

/** 1.x: what runs the command, beside a shell. */
const executor: Field<never> = (node, path, reading) => {
  const type = node.kind === 'map' ? valueAt(node, 'type') : node;
  const name = type?.kind === 'scalar' ? type.text : '';
  const what = `\`executor: ${name.slice(0, 80)}\` is not run by Setpoint`;
  reading.report(path, 'dialect/not-run', `${what}; ${executorWay(name)}`);
  return undefined;
};

const stepShape = {
  id: trimmed,
  name: trimmed,
  depends: writtenList,
  run: writtenList,
  command: writtenList,
  script: written,
  exec: execMapping,
  action: text,
  type: text,
  call: written,
  params: callParams,
  with: anyNode,
  parallel,
  working_dir: written,
  env: variables,
  shell: shellWords,
  shell_args: listOf(text, 'a list of arguments'),
  stdout: stream,
  stderr: stream,
  output,
  outputs: declaredOutputs,
  output_schema: schema,
  preconditions,
  continue_on: continueOn,
  retry_policy: retryPolicy,
  repeat_policy: repeatPolicy,
  timeout_sec: seconds,
  executor,
} as const;

export type StepRead = ShapeOf<typeof stepShape>;

const inContainer = 'run the host in the container, or call `docker run` from the command';

/** Without a value these would leave the step without its work. */
const ways = ['run', 'command', 'script', 'exec', 'action', 'call'];

/** Every key of a step in Dagu 2.9, and those of 1.x. */
export const stepMapping = mappingOf({
  shape: stepShape,
  older: { dir: 'working_dir', precondition: 'preconditions' },
  empty: Object.keys(stepShape).filter((key) => !ways.includes(key)),
  notRun: {
    approval: 'write a step with `action: human.task` after it',
    foreach: 'write its steps as a document of this file, and call that with `action: dag.run` and `parallel`',
    container: inContainer,
    config: 'write it as `action: …` with `with`',
    worker_selector: 'a host takes the runs of its server (docs/guide/distributed.md)',
    mail_on_error: 'let Setpoint notify you (docs/guide/notifications.md)',
    shell_packages: 'install them on the host',
    messages: 'use `action: harness.run` with a `prompt`',
    llm: 'use `action: harness.run`',
    agent: 'use `action: harness.run`',
    tools: 'use `action: harness.run`',
    routes: 'give each way its own step with `preconditions`',
    value: 'give each way its own step with `preconditions`',
    inputs: 'name the step that makes the file under `depends`',
    dependencies: 'the files are in the working folder of the run',
    run_id: 'the id of a child run is chosen by Setpoint',
  },
  noEffect: {
    signal_on_stop: 'what is stopped gets SIGTERM, and after a grace SIGKILL',
    log_output: 'both streams of a step are kept in one log, in order',
  },
  aside: ['description', 'group', 'labels', 'tags'],
});

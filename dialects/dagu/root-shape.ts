import { preconditions } from '#dialects/dagu/condition.ts';
import { harnessDefinitions } from '#dialects/dagu/harness-definitions.ts';
import { mappingOf } from '#dialects/dagu/keys.ts';
import { labels } from '#dialects/dagu/labels.ts';
import { params } from '#dialects/dagu/params.ts';
import { continueOn, repeatPolicy, retryPolicy } from '#dialects/dagu/policies.ts';
import { schedule } from '#dialects/dagu/schedule.ts';
import { shellWords } from '#dialects/dagu/shell.ts';
import { anyNode } from '#dialects/dagu/step-shape.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { refersToValue, seconds, written, writtenList } from '#dialects/dagu/values.ts';
import type { NamedText } from '#dialects/dagu/variables.ts';
import { variables } from '#dialects/dagu/variables.ts';
import type { Field, ShapeOf } from '#dialects/source/reading.ts';
import { listOf } from '#dialects/source/reading.ts';
import { flag, text, word } from '#dialects/source/scalars.ts';

const handlersMapping = mappingOf({
  shape: { init: anyNode, success: anyNode, failure: anyNode, abort: anyNode, exit: anyNode },
  older: { cancel: 'abort' },
  notRun: { wait: 'let Setpoint notify you of open questions (docs/guide/notifications.md)' },
});

const defaultsMapping = mappingOf({
  shape: {
    retry_policy: retryPolicy,
    continue_on: continueOn,
    repeat_policy: repeatPolicy,
    timeout_sec: seconds,
    env: variables,
    preconditions,
  },
  notRun: { mail_on_error: 'let Setpoint notify you (docs/guide/notifications.md)' },
  noEffect: { signal_on_stop: 'what is stopped gets SIGTERM, and after a grace SIGKILL' },
});

/** A secret of the host, by the name under which both have it. */
const secret: Field<string> = (node, path, reading) => {
  const read = mappingOf({
    shape: { name: text, provider: text, key: text },
    aside: ['options'],
    notRun: { ref: 'name the variable of the host' },
  })(node, path, reading);
  if (read?.name === undefined) return undefined;
  const { name, provider = 'env', key = name } = read;
  if (provider === 'env' && key === name) return name;
  const message = `a secret is one that the host or the server has under the name \`${name}\` (\`setpoint secrets put ${name}\`); write \`{name: ${name}, provider: env, key: ${name}}\``;
  reading.report(path, 'dialect/not-run', message);
  return undefined;
};

const consts: Field<NamedText[]> = variables;

const order = word(['graph', 'chain']);
const otherTypes: Readonly<Record<string, string>> = {
  agent: 'name the steps, and let `repeat_policy` or checks of the native form decide when the work is done',
  controller: 'name the steps, and let `repeat_policy` or checks of the native form decide when the work is done',
  build: 'write `depends`; what need not be made again is decided by your build tool in the command',
};

/** Files whose paths are fixed; `[]` says none. */
const dotenv: Field<Written[]> = (node, path, reading) => {
  const files = node.kind === 'list' && node.items.length === 0 ? [] : writtenList(node, path, reading);
  return files?.filter((file) => {
    if (!refersToValue(file.text) && !file.text.startsWith('~')) return true;
    const message = `a file of variables has a fixed path; write it in place of \`${file.text.slice(0, 80)}\``;
    reading.report(file.path, 'dialect/not-run', message);
    return false;
  });
};

/** Of a whole run: none is what every run here has. */
const noRetry: Field<never> = (node, path, reading) => {
  const read = retryPolicy(node, path, reading);
  if (read === undefined || read.limit === 0) return undefined;
  const message = '`retry_policy` of a whole run is not run by Setpoint; retry a run with `setpoint retry`';
  reading.report(path, 'dialect/not-run', message);
  return undefined;
};

const rootShape = {
  name: text,
  labels,
  type: ((node, path, reading) => {
    if (node.kind !== 'scalar' || !['agent', 'controller', 'build'].includes(node.text))
      return order(node, path, reading);
    const message = `\`type: ${node.text}\` is not run by Setpoint; ${otherTypes[node.text] ?? ''}`;
    reading.report(path, 'dialect/not-run', message);
    return undefined;
  }) as typeof order,
  schedule,
  params,
  consts,
  env: variables,
  dotenv,
  retry_policy: noRetry,
  secrets: listOf(secret, 'a list such as `[{name: TOKEN, provider: env, key: TOKEN}]`'),
  working_dir: written,
  shell: shellWords,
  shell_args: listOf(text, 'a list of arguments'),
  preconditions,
  defaults: defaultsMapping,
  handler_on: handlersMapping,
  harness: anyNode,
  harnesses: harnessDefinitions,
  timeout_sec: seconds,
  artifacts: mappingOf({
    shape: { enabled: flag },
    noEffect: { dir: 'each run has a folder of its own, kept with its record' },
  }),
  steps: anyNode,
} as const;

export type RootRead = ShapeOf<typeof rootShape>;

const notifications = 'let Setpoint notify you (docs/guide/notifications.md)';
const inContainer = 'run the host in a container, or call `docker run` from the command';
const ofServer = 'that is a matter of the server (docs/guide/distributed.md)';
const oneWriter = 'steps run side by side as `depends` allows';

/** Every root key of Dagu 2.9, and those of 1.x. */
export const rootMapping = mappingOf({
  shape: rootShape,
  older: { dir: 'working_dir', precondition: 'preconditions', tags: 'labels', shell_arguments: 'shell_args' },
  empty: Object.keys(rootShape).filter((key) => key !== 'steps'),
  notRun: {
    tasks: 'write the goals as checks of the native form',
    tools: 'install them on the host',
    delay_sec: 'start the run later, or begin with a step `run: sleep …`',
    step_types: 'write the steps out',
    actions: 'write the steps out, or call a document of this file with `dag.run`',
    functions: 'write the steps out',
    smtp: notifications,
    mail_on: notifications,
    error_mail: notifications,
    info_mail: notifications,
    wait_mail: notifications,
    container: inContainer,
    resources: inContainer,
    registry_auths: inContainer,
    kubernetes: inContainer,
    ssh: 'call `ssh` from the command',
    s3: 'call the CLI of your store from the command',
    redis: 'call `redis-cli` from the command',
    llm: 'use `action: harness.run`',
    webhook: 'start the run with a request to the API (docs/guide/http-api.md)',
    worker_selector: ofServer,
    run_config: 'who may start a run, and with what, is decided by tokens (docs/guide/organisation.md)',
    base_config: 'write what it says into this file',
  },
  noEffect: {
    skip_if_successful: 'the schedule is only kept; your scheduler decides',
    catchup_window: 'the schedule is only kept; your scheduler decides',
    overlap_policy: 'the schedule is only kept; your scheduler decides',
    log_dir: 'logs are kept with the run, in the store of the server',
    log_output: 'both streams of a step are kept in one log, in order',
    restart_wait_sec: 'a run is not restarted by a schedule',
    hist_retention_days: 'runs are kept until `setpoint cleanup`',
    hist_retention_runs: 'runs are kept until `setpoint cleanup`',
    max_active_runs: ofServer,
    queue: ofServer,
    max_active_steps: oneWriter,
    max_clean_up_time_sec: 'what is stopped gets SIGTERM, and after a grace SIGKILL',
    max_output_size: 'the whole output is kept; 20,000 characters of it are read by others',
    otel: ofServer,
  },
  aside: ['description', 'group', 'default_params'],
});

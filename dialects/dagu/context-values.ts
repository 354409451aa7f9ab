/** A value of the run itself, by the path after `context.` (and, for most, by that path alone). */
export type ContextValue =
  | { kind: 'template'; template: string; variable: string }
  /** Of the step that refers to it. */
  | { kind: 'step'; what: 'id' | 'name' }
  | { kind: 'not-run'; nativeWay: string };

const template = (path: string, variable: string): ContextValue => ({
  kind: 'template',
  template: `{{${path}}}`,
  variable,
});
const notRun = (nativeWay: string): ContextValue => ({ kind: 'not-run', nativeWay });
const ownLogs = notRun(
  'write the output into the folder of artifacts with `stdout: {artifact: NAME}` and name that file',
);
const ofParent = notRun('give the child what it needs with `params`');
const ofTrigger = notRun('give it as a parameter when the run is started');

/** Dagu's table of built-in values (its specification 017). */
export const contextValues: ReadonlyMap<string, ContextValue> = new Map([
  ['dag.name', template('run.name', 'DAG_NAME')],
  ['run.id', template('run.id', 'DAG_RUN_ID')],
  ['run.status', template('run.status', 'DAG_RUN_STATUS')],
  ['run.started_at', notRun('use `date` in the command')],
  ['run.scheduled_at', ofTrigger],
  ['run.root_name', ofParent],
  ['run.root_id', ofParent],
  ['attempt.id', notRun('use `${context.run.id}`')],
  ['attempt.started_at', notRun('use `date` in the command')],
  ['step.id', { kind: 'step', what: 'id' }],
  ['step.name', { kind: 'step', what: 'name' }],
  ['trigger.type', ofTrigger],
  ['trigger.actor', ofTrigger],
  ['paths.log_file', ownLogs],
  ['paths.work_dir', notRun('use `${context.paths.artifacts_dir}`, which is a folder of the run, too')],
  ['paths.wiki_dir', notRun('keep pages in the working folder')],
  ['paths.artifacts_dir', template('run.artifacts', 'DAG_RUN_ARTIFACTS_DIR')],
  ['paths.step_stdout_file', ownLogs],
  ['paths.step_stderr_file', ownLogs],
  ['paths.step_output_file', notRun('write to `$DAGU_OUTPUT_FILE`')],
  ['profile.name', ofTrigger],
  ['profile.resolved_at', ofTrigger],
  ['pushback.iteration', template('loop.iteration', 'DAG_PUSHBACK_ITERATION')],
  ['pushback.previous_stdout_file', ownLogs],
]);

/** Variables that Dagu sets and that nobody sets here: what to use. */
export const unsetVariables: Readonly<Record<string, string>> = {
  DAG_RUN_LOG_FILE: 'read the log of a run with `setpoint logs`',
  DAG_RUN_STEP_STDOUT_FILE: 'write the output into the folder of artifacts with `stdout: {artifact: NAME}`',
  DAG_RUN_STEP_STDERR_FILE: 'write it into the folder of artifacts with `stderr: {artifact: NAME}`',
  DAG_RUN_WORK_DIR: 'use `$DAG_RUN_ARTIFACTS_DIR`, which is a folder of the run, too',
  DAG_PARAMS_JSON: 'use the parameters by their names',
  DAGU_PARAMS_JSON: 'use the parameters by their names',
  DAG_WAITING_STEPS: 'let Setpoint notify you of open questions (docs/guide/notifications.md)',
  DAG_PUSHBACK: 'the feedback reaches the prompt of the next pass by itself',
  DAG_PUSHBACK_ITERATION: 'use `${context.pushback.iteration}`',
  DAG_PUSHBACK_PREVIOUS_STDOUT_FILE: 'write the output into the folder of artifacts with `stdout: {artifact: NAME}`',
  DAG_DOCS_DIR: 'name the folder in `env`',
  DAG_WIKI_DIR: 'name the folder in `env`',
};

/** What every process of a run finds in its environment. */
export const runVariables: readonly (readonly [name: string, template: string])[] = [
  ['DAG_NAME', '{{run.name}}'],
  ['DAG_RUN_ID', '{{run.id}}'],
  ['DAG_RUN_ARTIFACTS_DIR', '{{run.artifacts}}'],
];

import { didYouMean } from '#core/issue/nearest.ts';

/** Actions that are run, in the order in which a message names them. */
export const runActions = ['harness.run', 'human.task', 'dag.run', 'exec', 'noop'] as const;
export type RunAction = (typeof runActions)[number];

export function isRunAction(name: string): name is RunAction {
  return runActions.some((known) => known === name);
}

const byCommand = (command: string): string => `call it from a command, such as \`run: ${command}\``;

/** Every other action of Dagu's, with the native way. */
const otherActions: Readonly<Record<string, string>> = {
  'agent.run': 'use `action: harness.run`',
  'archive.create': byCommand('tar -czf out.tgz folder'),
  'archive.extract': byCommand('tar -xzf in.tgz'),
  'archive.list': byCommand('tar -tzf in.tgz'),
  'artifact.list': byCommand('ls "$DAG_RUN_ARTIFACTS_DIR"'),
  'artifact.read': byCommand('cat "$DAG_RUN_ARTIFACTS_DIR/name"'),
  'artifact.write': byCommand('echo text > "$DAG_RUN_ARTIFACTS_DIR/name"'),
  'chat.completion': 'use `action: harness.run`',
  'container.run': byCommand('docker run --rm image command'),
  'dag.enqueue': 'use `action: dag.run`, or start the run with `setpoint run --no-wait`',
  'data.convert': byCommand('yq -o json file'),
  'data.pick': byCommand('jq .path file'),
  'docker.run': byCommand('docker run --rm image command'),
  'file.copy': byCommand('cp from to'),
  'file.delete': byCommand('rm file'),
  'file.list': byCommand('ls folder'),
  'file.mkdir': byCommand('mkdir -p folder'),
  'file.move': byCommand('mv from to'),
  'file.read': byCommand('cat file'),
  'file.stat': byCommand('stat file'),
  'file.write': byCommand('echo text > file'),
  'git.checkout': byCommand('git clone address folder'),
  'git.worktree.add': 'the native form works in a worktree of its own: `workspace: {worktree: true}`',
  'git.worktree.remove': 'the native form works in a worktree of its own: `workspace: {worktree: true}`',
  'http.request': byCommand('curl --fail address'),
  'jq.filter': byCommand('jq .path file'),
  'k8s.run': byCommand('kubectl run name --image image'),
  'kubernetes.run': byCommand('kubectl run name --image image'),
  'log.write': byCommand('echo message'),
  'mail.send': 'let Setpoint notify you (docs/guide/notifications.md), or call a mail program from a command',
  'mcp.call': 'give the agent its tools, and ask it with `action: harness.run`',
  'outputs.write': 'give the step that has the value an `output`; those of a child DAG are its outputs',
  'postgres.import': byCommand('psql -c "\\copy …"'),
  'postgres.query': byCommand('psql -c "select …"'),
  'router.route': 'give each way its own step with `preconditions`',
  's3.delete': byCommand('aws s3 rm …'),
  's3.download': byCommand('aws s3 cp …'),
  's3.list': byCommand('aws s3 ls …'),
  's3.upload': byCommand('aws s3 cp …'),
  'sftp.download': byCommand('sftp …'),
  'sftp.upload': byCommand('sftp …'),
  'sqlite.import': byCommand('sqlite3 file ".import …"'),
  'sqlite.query': byCommand('sqlite3 file "select …"'),
  'ssh.run': byCommand('ssh host command'),
  'state.delete': byCommand('rm state/key'),
  'state.diff': byCommand('diff state/key new'),
  'state.get': byCommand('cat state/key'),
  'state.list': byCommand('ls state'),
  'state.set': byCommand('echo value > state/key'),
  'template.render': 'write the text with a here-document in `run`; `${params.NAME}` is put in',
  'wait.duration': byCommand('sleep 10'),
  'wait.file': 'use `run: test -f file` with `repeat_policy: {repeat: until, exit_code: [0], interval_sec: 5}`',
  'wait.http': 'use `run: curl --fail address` with `repeat_policy: {repeat: until, exit_code: [0], interval_sec: 5}`',
  'wait.until': 'start the run at that time with your scheduler',
};

/** What does now what an executor of 1.x did, by its `type`. */
const afterExecutors: Readonly<Record<string, string>> = {
  archive: 'archive.create',
  chat: 'chat.completion',
  docker: 'docker.run',
  http: 'http.request',
  jq: 'jq.filter',
  mail: 'mail.send',
  postgres: 'postgres.query',
  s3: 's3.upload',
  sftp: 'sftp.upload',
  sqlite: 'sqlite.query',
  ssh: 'ssh.run',
};

/** The native way of an executor. */
export function executorWay(type: string): string {
  if (type === 'shell' || type === 'command') return 'leave it out: a command runs in the shell';
  if (['dag', 'sub', 'subworkflow', 'subdag'].includes(type)) return 'write it as `call: NAME` with `params`';
  const action = Object.hasOwn(afterExecutors, type) ? (afterExecutors[type] ?? '') : '';
  return otherActions[action] ?? 'call it from a command';
}

const isKept = (name: string): boolean => name.startsWith('state.');

/** Why an action is not run; `unknown`: Dagu has none of that name. */
export function actionProblem(name: string): { kind: 'not-run' | 'unknown'; message: string } {
  const shown = name.slice(0, 80);
  const way = Object.hasOwn(otherActions, name) ? otherActions[name] : undefined;
  if (way !== undefined) {
    const kept = isKept(name)
      ? '; a file of the working folder is there in the next run (native `keepBetweenRuns`)'
      : '';
    return { kind: 'not-run', message: `\`action: ${shown}\` is not run by Setpoint; ${way}${kept}` };
  }
  if (name.startsWith('redis.')) {
    return { kind: 'not-run', message: `\`action: ${shown}\` is not run by Setpoint; ${byCommand('redis-cli …')}` };
  }
  if (name.includes('@') || name.startsWith('source:')) {
    const message = `\`action: ${shown}\` is fetched from elsewhere, which Setpoint does not do; write its steps into a document of this file and call it with \`dag.run\``;
    return { kind: 'not-run', message };
  }
  const hint = didYouMean(name, [...runActions, ...Object.keys(otherActions)]);
  const known = hint === '' ? `; run here are ${runActions.map((each) => `\`${each}\``).join(', ')}` : hint;
  return { kind: 'unknown', message: `there is no action \`${shown}\`${known}` };
}

import { unreachable } from '#core/exhaustive.ts';
import type { RunAction } from '#dialects/dagu/actions.ts';
import { actionProblem, executorWay, isRunAction } from '#dialects/dagu/actions.ts';
import type { Parallel } from '#dialects/dagu/child-call.ts';
import { childCall } from '#dialects/dagu/child-call.ts';
import type { ShellWork } from '#dialects/dagu/command.ts';
import type { Harnesses, HarnessWritten } from '#dialects/dagu/harness.ts';
import { harness } from '#dialects/dagu/harness.ts';
import type { HumanWritten } from '#dialects/dagu/human-task.ts';
import { humanTask } from '#dialects/dagu/human-task.ts';
import { has, mappingOf } from '#dialects/dagu/keys.ts';
import { isPosixShell, shellWords } from '#dialects/dagu/shell.ts';
import type { StepRead } from '#dialects/dagu/step-shape.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { written } from '#dialects/dagu/values.ts';
import type { NamedText } from '#dialects/dagu/variables.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Reading } from '#dialects/source/reading.ts';
import { below, listOf } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

export type StepWork =
  | { kind: 'run'; work: ShellWork; shell?: string[]; shellArgs?: string[] }
  | { kind: 'agent'; harness: HarnessWritten }
  | { kind: 'person'; task: HumanWritten }
  | { kind: 'call'; dag: Written; params: NamedText[]; parallel?: Parallel };

interface WorkAt {
  node: SourceNode;
  path: string;
  reading: Reading;
  harnesses: Harnesses;
}

/** Stands for work that has an issue, which keeps the file from ever being run. */
export const unread: StepWork = { kind: 'run', work: { kind: 'fixed', command: ':' } };

const selectors = ['run', 'action', 'command', 'exec', 'call'] as const;

/** Ways that have an issue of their own. */
const notRunWays = ['foreach', 'executor', 'container', 'llm', 'messages', 'agent', 'routes'] as const;

/** What a step does: exactly one of Dagu's ways to say it, of today or of 1.x. */
export function workOf(read: StepRead, at: WorkAt): StepWork {
  const { node, path, reading } = at;
  if (node.kind === 'scalar') return commands(read.run ?? []);
  const ways = selectors.filter((key) => has(node, key));
  if (ways.length > 1) {
    const both = ways.map((key) => `\`${key}\``).join(' and ');
    reading.report(path, 'definition/conflict', `a step does one thing; this one has ${both}`);
    return unread;
  }
  if (has(node, 'action')) return read.action === undefined ? unread : ofAction(read.action, at);
  if (isCall(node)) return legacyCall(read, at);
  return has(node, 'type') && !isShellType(read.type, at) ? unread : ofShell(read, at);
}

function ofShell(read: StepRead, at: WorkAt): StepWork {
  const { node, path, reading } = at;
  if (read.exec !== undefined) return exec(read.exec);
  if (has(node, 'command', 'script')) return ofCommand(read, at);
  if (has(node, 'run')) return ofRun(read.run, at);
  // What only publishes texts does nothing.
  if ((read.output?.published.size ?? 0) > 0) return { kind: 'run', work: { kind: 'fixed', command: ':' } };
  if (!has(node, 'exec', ...notRunWays)) {
    reading.report(path, 'definition/missing', 'a step needs `run` or `action`: what it does');
  }
  return unread;
}

/** In 1.x `run` named a DAG where parameters were given with it. */
function isCall(node: SourceNode): boolean {
  return has(node, 'call') || (has(node, 'run') && has(node, 'params', 'parallel'));
}

function legacyCall(read: StepRead, { path, reading }: WorkAt): StepWork {
  const dag = read.call ?? read.run?.[0];
  if (dag === undefined) return unread;
  if ((read.run?.length ?? 1) > 1) reading.report(path, 'definition/conflict', '`params` belongs to one DAG; keep one');
  return {
    kind: 'call',
    dag,
    params: read.params ?? [],
    ...(read.parallel === undefined ? {} : { parallel: read.parallel }),
  };
}

function isShellType(type: string | undefined, { path, reading }: WorkAt): boolean {
  if (type === undefined || type === 'command' || type === 'shell') return true;
  const message = `\`type: ${type.slice(0, 80)}\` of a step is not run by Setpoint; ${executorWay(type)}`;
  reading.report(below(path, 'type'), 'dialect/not-run', message);
  return false;
}

function commands(list: Written[]): StepWork {
  return list.length === 0 ? unread : { kind: 'run', work: { kind: 'commands', commands: list } };
}

function exec({ command, args = [] }: { command?: Written; args?: Written[] }): StepWork {
  return command === undefined ? unread : { kind: 'run', work: { kind: 'exec', words: [command, ...args] } };
}

const runWithMapping = mappingOf({
  shape: { shell: shellWords, shell_args: listOf(text, 'a list of arguments') },
  notRun: { shell_packages: 'install them on the host' },
});

function ofRun(list: Written[] | undefined, at: WorkAt): StepWork {
  const options = withOf(at);
  const read = options === undefined ? {} : (runWithMapping(options, below(at.path, 'with'), at.reading) ?? {});
  const { shell, shell_args: shellArgs } = read;
  return {
    ...commands(list ?? []),
    ...(shell === undefined ? {} : { shell }),
    ...(shellArgs === undefined ? {} : { shellArgs }),
  };
}

/** `command` with a `script` is the program that reads it. */
function ofCommand({ command, script }: StepRead, { path, reading }: WorkAt): StepWork {
  if (script === undefined) return commands(command ?? []);
  const [program, ...others] = command ?? [];
  if (program === undefined) return commands([script]);
  if (others.length > 0) reading.report(path, 'definition/conflict', 'a `script` is read by one `command`; keep one');
  const isOwnShell = isPosixShell(program.text.trim());
  if (isOwnShell) return { kind: 'run', work: { kind: 'commands', commands: [script] }, shell: [program.text.trim()] };
  return { kind: 'run', work: { kind: 'script', program, script } };
}

function withOf({ node }: WorkAt): SourceNode | undefined {
  return node.kind === 'map' ? node.entries.find(({ key }) => key === 'with')?.value : undefined;
}

const execMapping = mappingOf({ shape: { command: written, args: listOf(written, 'a list of arguments') } });
const noopMapping = mappingOf({ shape: {}, aside: ['message'] });

function ofAction(action: string, at: WorkAt): StepWork {
  const { path, reading } = at;
  if (!isRunAction(action)) {
    const { kind, message } = actionProblem(action);
    reading.report(below(path, 'action'), kind === 'unknown' ? 'definition/unknown-value' : 'dialect/not-run', message);
    return unread;
  }
  const options = withOf(at);
  if (options === undefined && action !== 'noop') {
    reading.report(path, 'definition/missing', `\`action: ${action}\` needs \`with\`: what it works with`);
    return unread;
  }
  return withOptions(action, options ?? { kind: 'map', entries: [] }, at);
}

function withOptions(action: RunAction, options: SourceNode, { path, reading, harnesses }: WorkAt): StepWork {
  const inside = below(path, 'with');
  switch (action) {
    case 'harness.run': {
      const read = harness(harnesses)(options, inside, reading);
      return read === undefined ? unread : { kind: 'agent', harness: read };
    }
    case 'human.task': {
      const task = humanTask(options, inside, reading);
      return task === undefined ? unread : { kind: 'person', task };
    }
    case 'dag.run':
      return calledBy(options, inside, reading) ?? unread;
    case 'exec':
      return exec(execMapping(options, inside, reading) ?? {});
    case 'noop':
      noopMapping(options, inside, reading);
      return unread;
    default:
      return unreachable(action);
  }
}

function calledBy(options: SourceNode, path: string, reading: Reading): StepWork | undefined {
  const read = childCall(options, path, reading);
  return read === undefined ? undefined : { kind: 'call', ...read };
}

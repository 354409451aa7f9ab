import type { Pipeline, SyntaxNode } from 'unbash';

import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { shortened } from '#core/doctor/loop-view.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import { isSignal } from '#core/doctor/rules/commands-that-cannot-fail.ts';
import { canFail, modeAfter, modeOfFlags, plainMode, type ShellMode } from '#core/doctor/shell/exit-status.ts';
import { isFilter } from '#core/doctor/shell/filters.ts';
import { baseName } from '#core/doctor/shell/kinds.ts';
import { programOf, shellCall } from '#core/doctor/shell/program.ts';
import type { ShellScript } from '#core/doctor/shell/script.ts';

/** D-17's fourth row: a pipeline exits as its last command does. */
export const pipeHidesExit: Rule = {
  id: 'check/pipe-hides-exit',
  severity: 'warning',
  missing: 'signal',
  title: 'A pipe hides the exit code of the command that judges.',
  why: 'A pipeline exits as its last command does, and `tee`, `tail` and the like exit with 0 whatever they read.',
  remedy:
    'Drop the filter: the whole output of a command is recorded anyway. To keep a file, write `> test.log 2>&1`, or run it with `bash -o pipefail -c`.',
  example: {
    wrong:
      'task: Make the tests pass.\nagent: codex\nchecks:\n  - make test | tee test.log\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
    right:
      "task: Make the tests pass.\nagent: codex\nchecks:\n  - bash -o pipefail -c 'make test | tee test.log'\nworkspace: { setup: npm ci, protect: ['test/**'] }\n",
  },
  find: (facts) => facts.commands.filter(isSignal).flatMap(found),
};

function found({ script, path, command, step }: JudgedCommand): Found[] {
  if (script === undefined || /\bPIPESTATUS\b|\bpipestatus\b/.test(script.text)) return [];
  const [hidden] = hiddenIn(script, plainMode);
  if (hidden === undefined) return [];
  const { pipeline, text, inner } = hidden;
  const last = pipeline.commands.at(-1);
  const filter = last?.type === 'Command' ? (last.name?.value ?? '') : '';
  const judge = pipeline.commands.at(-2);
  const find = judge === undefined || inner ? undefined : text.slice(judge.end, pipeline.end);
  return [
    {
      path,
      message: `\`| ${filter}\` hides the exit code in \`${shortened(command)}\``,
      ...loopOf(step),
      ...mendOf({ path, command, find, filter, isWhole: isWhole(script, pipeline) }),
    },
  ];
}

/** Only looks at the output, so nothing is lost without it. */
const onlyShows: ReadonlySet<string> = new Set(['tail', 'head', 'cat']);

function mendOf(at: {
  path: string;
  command: string;
  find: string | undefined;
  filter: string;
  isWhole: boolean;
}): Pick<Found, 'fix'> {
  const { path, command, find, filter, isWhole: whole } = at;
  if (find === undefined) return {};
  if (onlyShows.has(filter) && !/[<>]/.test(find) && command.split(find).length === 2) {
    return { fix: { kind: 'replace', path, find, replace: '' } };
  }
  const trimmed = command.trim();
  if (
    filter !== 'tee' ||
    !whole ||
    trimmed.includes("'") ||
    trimmed.includes('\n') ||
    command.split(trimmed).length !== 2
  )
    return {};
  return { fix: { kind: 'replace', path, find: trimmed, replace: `bash -o pipefail -c '${trimmed}'` } };
}

function isWhole({ root }: ShellScript, pipeline: Pipeline): boolean {
  return root.commands.length === 1 && root.commands[0]?.command === pipeline;
}

interface Hidden {
  pipeline: Pipeline;
  text: string;
  /** Inside `sh -c '…'`, where positions are those of another text. */
  inner: boolean;
}

/** Pipelines whose exit code decides that of the script. */
function hiddenIn(script: ShellScript, given: ShellMode, inner = false): Hidden[] {
  const found: Hidden[] = [];
  let mode = given;
  for (const [index, statement] of script.root.commands.entries()) {
    mode = modeAfter(statement, mode);
    const decides = index === script.root.commands.length - 1 || mode.errexit;
    if (!mode.pipefail && decides && statement.background !== true) {
      found.push(...pipelinesOf(statement.command).map((pipeline) => ({ pipeline, text: script.text, inner })));
    }
    found.push(...callsIn(statement.command));
  }
  return found.filter(({ pipeline }) => hidesSomething(pipeline));
}

function callsIn(node: SyntaxNode): Hidden[] {
  if (node.type === 'AndOr') return node.commands.flatMap(callsIn);
  const program = node.type === 'Command' ? programOf(node) : undefined;
  const call = program === undefined ? undefined : shellCall(program);
  return call === undefined ? [] : hiddenIn(call.inner, modeOfFlags(call.flags), true);
}

function pipelinesOf(node: SyntaxNode): Pipeline[] {
  if (node.type === 'Pipeline') return [node];
  if (node.type === 'AndOr') return node.commands.flatMap(pipelinesOf);
  if (node.type !== 'Subshell' && node.type !== 'BraceGroup') return [];
  return node.body.commands.slice(-1).flatMap(({ command }) => pipelinesOf(command));
}

const onlyProduces: ReadonlySet<string> = new Set(['cat', 'ls', 'ps', 'env', 'jq', 'yes', 'seq']);

function hidesSomething({ commands, prefixes }: Pipeline): boolean {
  const last = commands.at(-1);
  const program = last?.type === 'Command' ? programOf(last) : undefined;
  if (commands.length < 2 || !isFilter(program) || prefixes.some(({ type }) => type === 'Negation')) return false;
  return commands.slice(0, -1).some((command) => {
    const judge = command.type === 'Command' ? programOf(command) : undefined;
    if (judge !== undefined && (isFilter(judge) || onlyProduces.has(baseName(judge.name)))) return false;
    return canFail(command, plainMode);
  });
}

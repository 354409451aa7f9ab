import type { Command, CompoundList, Pipeline, Script, Statement, SyntaxNode } from 'unbash';

import { programOf, type Program, shellCall } from '#core/doctor/shell/program.ts';
import { isFilter } from '#core/doctor/shell/filters.ts';

/** How a shell takes failures: `set -e`, `set -o pipefail`. */
export interface ShellMode {
  errexit: boolean;
  pipefail: boolean;
}

export const plainMode: ShellMode = { errexit: false, pipefail: false };

/** Programs whose exit code is 0 whatever they find. */
const neverFails: ReadonlySet<string> = new Set([
  'echo',
  'printf',
  'true',
  ':',
  'cd',
  'pushd',
  'popd',
  'export',
  'unset',
  'umask',
  'wait',
  'sleep',
  'date',
  'pwd',
  'whoami',
  'hostname',
  'uname',
  'clear',
  'find',
]);
const gitThatTells: ReadonlySet<string> = new Set(['status', 'log', 'show', 'branch', 'add', 'stash']);

/** Whether the exit code can be other than 0 because of what the commands find. Where in doubt, it can. */
export function canFail(node: SyntaxNode, mode: ShellMode): boolean {
  if (node.type === 'Script' || node.type === 'CompoundList') return listCanFail(node, mode);
  if (node.type === 'Statement') return node.background !== true && canFail(node.command, mode);
  if (node.type === 'AndOr') return andOrCanFail(node, mode);
  if (node.type === 'Pipeline') return pipelineCanFail(node, mode);
  if (node.type === 'Command') return commandCanFail(node);
  if (node.type === 'Redirected') return canFail(node.command, mode);
  if (node.type === 'Function') return false;
  const bodies = bodiesOf(node);
  return bodies === undefined || bodies.some((body) => listCanFail(body, mode));
}

/** The lists of which one runs last in a compound command; undefined for what is none. */
function bodiesOf(node: SyntaxNode): CompoundList[] | undefined {
  if (node.type === 'Subshell' || node.type === 'BraceGroup' || node.type === 'While' || node.type === 'For') {
    return [node.body];
  }
  if (node.type === 'If') {
    return [node.then, ...node.elif.map((each) => each.then), ...(node.else === undefined ? [] : [node.else])];
  }
  return node.type === 'Case' ? node.items.map((item) => item.body) : undefined;
}

function listCanFail({ commands }: Script | CompoundList, given: ShellMode): boolean {
  let mode = given;
  for (const [index, statement] of commands.entries()) {
    mode = modeAfter(statement, mode);
    const isLast = index === commands.length - 1;
    if (endsIt(statement)) return leavesWithFailure(statement);
    if (mayLeave(statement)) return true;
    if ((isLast || mode.errexit) && canFail(statement, mode)) return true;
  }
  return false;
}

function andOrCanFail(node: Extract<SyntaxNode, { type: 'AndOr' }>, mode: ShellMode): boolean {
  let fails = false;
  for (const [index, command] of node.commands.entries()) {
    const own = canFail(command, mode);
    fails = index > 0 && node.operators[index - 1] === '||' ? own : fails || own;
  }
  return fails;
}

function pipelineCanFail(node: Pipeline, mode: ShellMode): boolean {
  if (node.prefixes.some(({ type }) => type === 'Negation')) return true;
  // A filter at the end is the matter of another rule, which knows the mend.
  const last = node.commands.at(-1);
  if (node.commands.length > 1 && last?.type === 'Command' && isFilter(programOf(last))) return true;
  return mode.pipefail ? node.commands.some((each) => canFail(each, mode)) : last !== undefined && canFail(last, mode);
}

function commandCanFail(node: Command): boolean {
  const program = programOf(node);
  // `x=$(command)` has the command's exit code.
  if (program === undefined) return node.prefix.some((each) => each.type === 'Assignment' && each.text.includes('$('));
  const call = shellCall(program);
  if (call !== undefined) return canFail(call.inner.root, modeOfFlags(call.flags));
  return programCanFail(program);
}

function programCanFail({ name, args }: Program): boolean {
  if (name === 'exit' || name === 'return') return args[0] !== '0';
  if (name === 'set' || name === 'shopt' || name === 'trap') return false;
  if (name === 'git') return !isTalkOfGit(args);
  return !neverFails.has(name);
}

function isTalkOfGit(args: readonly string[]): boolean {
  const [verb = ''] = args;
  if (verb === 'diff') return !args.some((arg) => ['--exit-code', '--quiet', '--check'].includes(arg));
  return gitThatTells.has(verb);
}

/** `exit` as a statement of its own: nothing after it runs. */
function endsIt({ command }: Statement): boolean {
  return command.type === 'Command' && command.name?.value === 'exit';
}

function leavesWithFailure({ command }: Statement): boolean {
  const program = command.type === 'Command' ? programOf(command) : undefined;
  return program?.args[0] !== '0';
}

/** An `exit 1` or `exit $?` somewhere inside, as in `npm test || exit 1`. */
function mayLeave(statement: Statement): boolean {
  return exitsIn(statement.command).some((program) => program.args[0] !== '0');
}

function exitsIn(node: SyntaxNode): Program[] {
  if (node.type === 'Command') {
    const program = programOf(node);
    return program?.name === 'exit' ? [program] : [];
  }
  if (node.type === 'AndOr') return node.commands.flatMap(exitsIn);
  // What exits inside `( … )` leaves only that.
  if (node.type === 'Subshell') return [];
  return (bodiesOf(node) ?? []).flatMap((body) => body.commands.flatMap((each) => exitsIn(each.command)));
}

/** What `set -euo pipefail` and the like make of the mode. */
export function modeAfter({ command }: Statement, mode: ShellMode): ShellMode {
  const program = command.type === 'Command' ? programOf(command) : undefined;
  if (program?.name !== 'set') return mode;
  return { ...mode, ...modeSet(program.args) };
}

export function modeOfFlags(flags: readonly string[]): ShellMode {
  return { ...plainMode, ...modeSet(flags) };
}

function modeSet(args: readonly string[]): Partial<ShellMode> {
  const set: Partial<ShellMode> = {};
  for (const [index, arg] of args.entries()) {
    if (/^[-+][a-z]*e/.test(arg)) set.errexit = arg.startsWith('-');
    if (arg === 'errexit') set.errexit = args[index - 1]?.startsWith('-') ?? false;
    if (arg === 'pipefail') set.pipefail = args[index - 1]?.startsWith('-') ?? false;
  }
  return set;
}

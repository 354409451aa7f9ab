import { unreachable } from '#core/exhaustive.ts';
import { literalTemplate } from '#core/template/literal.ts';
import type { DeclaredOutput } from '#dialects/dagu/output-file.ts';
import { withOutputFile } from '#dialects/dagu/output-file.ts';
import type { Shell } from '#dialects/dagu/shell.ts';
import { isPosixShell, shellCall, stopsAtFailure } from '#dialects/dagu/shell.ts';
import type { TextScope } from '#dialects/dagu/texts.ts';
import { doubleQuoted, quoted, scriptText, shellText, wordText } from '#dialects/dagu/texts.ts';
import type { Written } from '#dialects/dagu/values.ts';

/** What a step runs by itself. */
export type ShellWork =
  /** Each is a shell of its own; the first that fails ends it. */
  | { kind: 'commands'; commands: Written[] }
  /** A script for another program than the step's shell. */
  | { kind: 'script'; program: Written; script: Written }
  /** A program and its arguments, without a shell. */
  | { kind: 'exec'; words: Written[] }
  | { kind: 'fixed'; command: string };

export interface Streams {
  /** Files of the working folder. */
  stdout?: Written;
  stderr?: Written;
  outputs?: readonly DeclaredOutput[];
}

interface CommandOf {
  work: ShellWork;
  shell?: Shell;
  /** Variables that hold the positional parameters. */
  positional: readonly string[];
  streams: Streams;
}

/** The command of a `run` step: one text for `sh -c` that does what Dagu does with it. */
export function commandOf({ work, shell, positional, streams }: CommandOf, scope: TextScope): string {
  const given = positional.map((name) => `"\${${name}}"`);
  const body = bodyOf(work, shell, given, scope);
  if (work.kind === 'fixed') return body;
  const written = withOutputFile(intoFiles(body, streams, scope), streams.outputs);
  return [...scope.environment.exports(), written].join('\n');
}

/** A condition: as a command of the step, without its streams. It is judged by its exit code, so nothing stops it early. */
export function conditionCommand(
  condition: Written,
  { shell, positional }: Pick<CommandOf, 'shell' | 'positional'>,
  scope: TextScope,
): string {
  const given = positional.map((name) => `"\${${name}}"`);
  const text = shellText(condition, scope).trimEnd();
  const body =
    shell === undefined
      ? plainBody(text, given, false)
      : shellCall({ ...shell, ofStep: true }, carried(text, scope), given);
  return [...scope.environment.exports(), body].join('\n');
}

// What is run, by what, with what, and what its texts may name.
// oxlint-disable-next-line max-params
function bodyOf(work: ShellWork, shell: Shell | undefined, given: readonly string[], scope: TextScope): string {
  switch (work.kind) {
    case 'fixed':
      return literalTemplate(work.command);
    case 'exec':
      return work.words.map((word) => wordText(word, scope)).join(' ');
    case 'script':
      return scriptBody(shellText(work.program, scope), { script: work.script, given }, scope);
    case 'commands':
      return commandsBody(work.commands, shell, given, scope);
    default:
      return unreachable(work);
  }
}

// oxlint-disable-next-line max-params
function commandsBody(
  commands: readonly Written[],
  shell: Shell | undefined,
  given: readonly string[],
  scope: TextScope,
): string {
  const bodies = commands.map((command) => {
    const program = shell?.ofStep === true ? undefined : /^#![ \t]*(\S[^\n]*)\n/.exec(command.text)?.[1];
    if (program !== undefined) return scriptBody(program.trim(), { script: command, given }, scope);
    const text = shellText(command, scope).trimEnd();
    return shell === undefined ? plainBody(text, given, true) : shellCall(shell, carried(text, scope), given);
  });
  const [only, ...more] = bodies;
  if (only !== undefined && more.length === 0) return only;
  return `set -e\n${bodies.map((body) => `(\n${body}\n)`).join('\n')}`;
}

function plainBody(text: string, given: readonly string[], stops: boolean): string {
  const positional = given.length === 0 ? '' : `set -- ${given.join(' ')}\n`;
  const several = stops && stopsAtFailure(undefined) && /[;\n]/.test(text);
  return `${positional}${several ? 'set -e\n' : ''}${text}`;
}

/** A text as one quoted word; one with values in it travels in the environment, where no quotes can be left. */
function carried(text: string, scope: TextScope): string {
  if (!text.includes('| raw}}')) return quoted(text);
  return `"$${scope.environment.bind({ template: text, variable: 'DAGU_SCRIPT' })}"`;
}

function scriptBody(
  program: string,
  { script, given }: { script: Written; given: readonly string[] },
  scope: TextScope,
): string {
  const [name = ''] = program.split(/\s+/);
  const text = isPosixShell(name) ? shellText(script, scope) : scriptText(script, scope);
  return [
    'script="$(mktemp)" || exit 126',
    `trap 'rm -f "$script"' EXIT`,
    `printf '%s\\n' ${carried(text, scope)} > "$script"`,
    [program, '"$script"', ...given].join(' '),
  ].join('\n');
}

/** A file is written anew by each attempt, and the step's own output holds it, too. */
function intoFiles(body: string, { stdout, stderr }: Streams, scope: TextScope): string {
  if (stdout === undefined && stderr === undefined) return body;
  const files = [
    { file: stdout, to: '>', after: '' },
    { file: stderr, to: '2>', after: ' >&2' },
  ].flatMap(({ file, to, after }) => {
    if (file === undefined) return [];
    const name = `"${doubleQuoted(file, scope)}"`;
    return [{ redirect: `${to} ${name}`, show: `cat ${name}${after}` }];
  });
  const [first] = files;
  if (first !== undefined && stdout?.text === stderr?.text) {
    // Two openings of one file would write over each other.
    return [`(\n${body}\n) ${first.redirect} 2>&1`, 'status=$?', first.show, 'exit "$status"'].join('\n');
  }
  const redirects = files.map(({ redirect }) => redirect).join(' ');
  return [`(\n${body}\n) ${redirects}`, 'status=$?', ...files.map(({ show }) => show), 'exit "$status"'].join('\n');
}

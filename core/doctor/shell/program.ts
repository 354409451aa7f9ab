import type { Command } from 'unbash';

import { nodesIn, readShell, type ShellScript } from '#core/doctor/shell/script.ts';

/** A program with its arguments, without what only runs it (`env`, `timeout 5m`, `npx`, …). */
export interface Program {
  name: string;
  args: readonly string[];
  node: Command;
}

/** Runners of another program, and how many words of their own follow their flags. */
const runners: Readonly<Record<string, number>> = {
  command: 0,
  exec: 0,
  nice: 0,
  nohup: 0,
  sudo: 0,
  time: 0,
  xvfb_run: 0,
  'xvfb-run': 0,
  npx: 0,
  pnpx: 0,
  bunx: 0,
  timeout: 1,
};
const subRunners: ReadonlySet<string> = new Set([
  'pnpm exec',
  'yarn exec',
  'npm exec',
  'bundle exec',
  'poetry run',
  'uv run',
  'pipenv run',
  'mise exec',
]);

/** Undefined for assignments alone. */
export function programOf(node: Command): Program | undefined {
  if (node.name === undefined) return undefined;
  const words = [node.name.value, ...node.args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))];
  return { ...unwrapped(words), node };
}

function unwrapped(words: readonly string[]): { name: string; args: string[] } {
  const [name = '', ...args] = words;
  if (name === 'env') return afterEnvironment(args);
  if (subRunners.has(`${name} ${args[0] ?? ''}`)) return afterFlags(args.slice(1), 0);
  const own = Object.hasOwn(runners, name) ? runners[name] : undefined;
  if (own !== undefined && args.length > 0) return afterFlags(args, own);
  if (/^python[\d.]*$/.test(name) && args[0] === '-m') return unwrapped(args.slice(1));
  return { name, args };
}

function afterEnvironment(args: readonly string[]): { name: string; args: string[] } {
  const first = args.findIndex((arg) => !arg.startsWith('-') && !arg.includes('='));
  return first < 0 ? { name: 'env', args: [...args] } : unwrapped(args.slice(first));
}

function afterFlags(args: readonly string[], own: number): { name: string; args: string[] } {
  const first = args.findIndex((arg) => !arg.startsWith('-'));
  return first < 0 ? { name: '', args: [] } : unwrapped(args.slice(first + own));
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', '/bin/sh', '/bin/bash', '/usr/bin/bash']);

/** `bash -o pipefail -c '…'`: what it runs and how; undefined for any other program. */
export function shellCall(program: Program): { inner: ShellScript; flags: readonly string[] } | undefined {
  if (!shells.has(program.name)) return undefined;
  const at = program.args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const text = at < 0 ? undefined : program.args[at + 1];
  const inner = text === undefined ? undefined : readShell(text);
  return inner === undefined ? undefined : { inner, flags: program.args.slice(0, at + 1) };
}

/** Every program that a script runs, also inside `bash -c '…'`, in written order. */
export function programsIn({ root }: ShellScript): Program[] {
  return nodesIn(root).flatMap((node) => {
    const program = node.type === 'Command' ? programOf(node) : undefined;
    if (program === undefined) return [];
    const call = shellCall(program);
    return call === undefined ? [program] : [program, ...programsIn(call.inner)];
  });
}

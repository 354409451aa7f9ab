import { join } from 'node:path';
import { Fault } from '#core/contract/fault.ts';

/** A11: no prompt above this travels in argv or in the environment. */
const maxArgumentBytes = 64 * 1024;

export function fitsInArgument(prompt: string): boolean {
  return Buffer.byteLength(prompt, 'utf8') <= maxArgumentBytes;
}

/** Where a prompt that must be a file is put. */
export function promptFile(home: string, pass: number): string {
  return join(home, 'prompts', `pass-${pass}.md`);
}

/** For CLIs that take the prompt only as an argument: a large one is put into a file and the argument says to read it. */
export function argumentPrompt(
  prompt: string,
  path: string,
): { argument: string; files: { path: string; content: string }[] } {
  if (fitsInArgument(prompt)) return { argument: prompt, files: [] };
  return {
    argument: `Your whole task is in the file ${path}. Read that file first, to its end, then do what it says.`,
    files: [{ path, content: prompt }],
  };
}

/** @throws Fault `agent/prompt-too-large` when it is over 64 KiB. */
export function requireArgumentSize(agent: string, prompt: string): void {
  if (fitsInArgument(prompt)) return;
  throw new Fault(
    'agent/prompt-too-large',
    `The prompt for ${agent} is ${Buffer.byteLength(prompt, 'utf8')} bytes; as an argument it may be ${maxArgumentBytes}. Set "prompt: stdin" or "prompt: file" for this agent.`,
  );
}

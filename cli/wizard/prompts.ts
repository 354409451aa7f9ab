import { CliFailure, exitCodes } from '#cli/failure.ts';

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string;
}

/** Questions to the person at the terminal. Each throws `Left` when the person goes away by Ctrl-C. */
export interface Prompts {
  /** A line of text, without space around it. `check` gives what is wrong with it, or undefined. */
  text(question: TextQuestion): Promise<string>;
  choose<T>(question: { message: string; choices: readonly Choice<T>[] }): Promise<T>;
  /** Any number of them, in their order; `taken` are marked at first. */
  chooseSome<T>(question: { message: string; choices: readonly Choice<T>[]; taken: readonly T[] }): Promise<T[]>;
  confirm(question: { message: string; initial: boolean }): Promise<boolean>;
  /** Shows a text under a title and goes on. */
  show(title: string, text: string): Promise<void>;
}

export interface TextQuestion {
  message: string;
  /** Stands there and can be edited. */
  initial?: string;
  /** What an empty answer means. */
  whenEmpty?: string;
  check?: (text: string) => string | undefined;
}

/** The person left a question. Exit code 130. */
export class Left extends CliFailure {
  override readonly name = 'Left';
  constructor() {
    super(exitCodes.interrupted, 'left before the end; nothing was written');
  }
}

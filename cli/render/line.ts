import type { Tone } from '#cli/terminal.ts';

/** A line for a person. */
export interface Line {
  tone: Tone;
  text: string;
}

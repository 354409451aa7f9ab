import type { Directories } from '#dialects/dagu/directories.ts';
import type { Shell } from '#dialects/dagu/shell.ts';
import type { TextScope } from '#dialects/dagu/texts.ts';

/** What a step is built from beside what is written at it. */
export interface BuildOf {
  scope: TextScope;
  /** Of the whole file. */
  shell?: Shell;
  positional: readonly string[];
  directories: Directories;
  secrets: readonly string[];
  /** Steps may be skipped, and those after them with them. */
  skips: boolean;
  /** Ids of steps by the words that name them. */
  words: ReadonlyMap<string, string>;
}

import type { Definition } from '#core/definition/definition.ts';
import type { Issue } from '#core/issue/issue.ts';
import type { SourceNode } from '#dialects/source/node.ts';

/** What a dialect makes of a document. With issues, `definition` is as much as could be read, to find more of them. */
export interface DialectRead {
  definition?: Definition;
  issues: Issue[];
  /** Where the document says what the long form says at a path (`steps.work.prompt` is `task` in the short form). */
  pathInDocument: (path: string) => string;
}

export interface DialectOptions {
  /** That of the file, for a definition that gives none. */
  name?: string;
  /** The documents after the first; their paths begin with `documents.<n>`, counted from 1. */
  more?: readonly SourceNode[];
}

/** One way of writing a definition: a folder here, and one line in `registry.ts`. */
export interface Dialect {
  readonly name: string;
  /** Whether a document has the shape of this dialect. */
  fits: (node: SourceNode) => boolean;
  /** Whether a file may hold documents after the first; in any other dialect a second one is an issue (A14). */
  readonly manyDocuments?: boolean;
  /** Never throws. */
  read: (node: SourceNode, options: DialectOptions) => DialectRead;
}

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';

import type { StartRun } from '#core/contract/http.ts';
import type { Issue } from '#core/issue/issue.ts';
import type { Plan } from '#core/plan/plan.ts';
import { sourceBounds } from '#dialects/source/node.ts';

import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';
import { issueLines } from '#cli/render/issue-lines.ts';

export interface DefinitionFile {
  /** As it was typed: messages name it so. */
  file: string;
  text: string;
  /** `file` is no file but the name of a stored definition. */
  isStored?: boolean;
}

/** `-` is stdin. Throws with exit code 2 when the file cannot be read. */
export async function readDefinition(context: CliContext, file: string): Promise<DefinitionFile> {
  const path = file === '-' ? '/dev/stdin' : resolve(context.cwd, file);
  try {
    return { file, text: await readStart(path) };
  } catch (error) {
    const { why, remedy } = unreadable(error);
    throw new CliFailure(exitCodes.usage, `the definition ${file} cannot be read: ${why}`, { remedy, cause: error });
  }
}

function unreadable(error: unknown): { why: string; remedy: string } {
  const remedy = 'name a file with a definition, such as green.loop.yaml';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return { why: 'there is no such file', remedy };
    case 'EISDIR':
      return { why: 'it is a folder', remedy };
    case 'EACCES':
      return { why: 'you may not read it', remedy: 'let yourself read it (chmod u+r), or name another file' };
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return { why: 'it is no text in UTF-8', remedy: 'save it in UTF-8; a definition is YAML or JSON' };
    default:
      return { why: messageOf(error), remedy };
  }
}

/** One byte more than a definition may have: enough to refuse what is larger, however large it is. */
async function readStart(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: sourceBounds.bytes })) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  // What is cut off may end within a character; it is refused for its size.
  return new TextDecoder('utf-8', { fatal: bytes.length <= sourceBounds.bytes, ignoreBOM: true }).decode(bytes);
}

function complaint(file: string, issues: readonly Issue[]): string {
  const errors = issues.filter((issue) => issue.severity === 'error');
  const counted = `${errors.length} ${errors.length === 1 ? 'issue' : 'issues'}`;
  // Inputs are values of the run: the definition itself is fine.
  if (errors.every(({ code }) => code.startsWith('input/'))) return `the inputs do not fit ${file} (${counted})`;
  return `${file} is no valid definition (${counted})`;
}

/** A definition with issues: each is one line `file:line:col code message`. */
export class InvalidDefinition extends CliFailure {
  override readonly name = 'InvalidDefinition';
  readonly lines: string[];
  readonly #given: { file: string; issues: readonly Issue[] };
  constructor(file: string, issues: readonly Issue[], remedy = 'mend the lines above; nothing was created') {
    super(exitCodes.usage, complaint(file, issues), { remedy });
    this.lines = issueLines(file, issues);
    this.#given = { file, issues };
  }

  withRemedy(remedy: string): InvalidDefinition {
    return new InvalidDefinition(this.#given.file, this.#given.issues, remedy);
  }
}

/**
 * Compiles here, without any server: a definition that is called and not written inside is a warning, since it may be
 * stored. Throws `InvalidDefinition` with all issues.
 */
export async function compileHere(
  definition: DefinitionFile,
  options: { dialect?: string; overrides?: NonNullable<StartRun['overrides']> } = {},
): Promise<{ plan: Plan; warnings: Issue[] }> {
  const { compileText } = await import('#dialects/parse.ts');
  const compiled = compileText({ ...definition, ...options, unknownCalls: 'warning' });
  if ('issues' in compiled) throw new InvalidDefinition(definition.file, compiled.issues);
  return compiled;
}

import { compileHere, InvalidDefinition, readDefinition } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { requireFree, writeDefinition } from '#cli/init/write-definition.ts';
import { issueLines } from '#cli/render/issue-lines.ts';

export interface ConvertFlags {
  dialect?: string;
  /** Where to write it; absent = stdout. */
  file?: string;
}

/**
 * `setpoint convert FILE [--file OUT]`: the native form of a definition in any dialect, offline. Exit 2 with all issues
 * when it is no valid one, or when OUT is there already.
 */
export async function convertCommand(context: CliContext, file: string, flags: ConvertFlags): Promise<ExitCode> {
  const { terminal } = context;
  const dialect = flags.dialect === undefined ? {} : { dialect: flags.dialect };
  if (flags.file !== undefined) await requireFree(context, flags.file);
  const source = await readDefinition(context, file);
  const { plan, warnings } = await compileHere(source, dialect);
  const { parseDefinition } = await import('#dialects/parse.ts');
  const parsed = parseDefinition({ ...source, ...dialect });
  if (parsed.kind === 'issues') throw new InvalidDefinition(file, parsed.issues);
  const { nativeText } = await import('#dialects/convert/convert.ts');
  const text = nativeText(parsed.definition);
  for (const line of issueLines(file, warnings)) terminal.err(line);
  if (parsed.dialect === 'native') terminal.err(`${file} is in the native form already; its comments are left out`);
  if (flags.file === undefined) {
    terminal.out(text.trimEnd());
    return exitCodes.succeeded;
  }
  await writeDefinition(context, flags.file, text);
  terminal.out(`Wrote ${flags.file} (${plan.name}), the native form of ${file} (${parsed.dialect}).`);
  return exitCodes.succeeded;
}

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { Finding, LoopAnswers } from '#core/doctor/finding.ts';
import type { PassCost } from '#core/doctor/history/passes.ts';
import type { TracedLoop } from '#core/doctor/trace.ts';
import { unreachable } from '#core/exhaustive.ts';
import { present } from '#core/definition/present.ts';
import type { Issue } from '#core/issue/issue.ts';
import type { Plan } from '#core/plan/plan.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import { type DefinitionFile, InvalidDefinition, readDefinition } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { planOf } from '#cli/follow/plan-of.ts';
import { issueLines } from '#cli/render/issue-lines.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface DoctorFlags extends GlobalFlags {
  fix?: boolean;
  trace?: boolean;
  format?: 'text' | 'json' | 'sarif';
  dialect?: string;
}

/** What the doctor says of a file or a run. */
interface Diagnosis {
  /** The file as it was typed, or the id of the run. */
  about: string;
  isFile: boolean;
  plan: Plan;
  warnings: Issue[];
  findings: Finding[];
  loops: LoopAnswers[];
  /** Of a run. */
  passes?: PassCost[];
  /** What `--fix` wrote. */
  mended?: Finding[];
  /** The dialect of a file that is not written in the native form. */
  foreign?: string;
}

/**
 * `setpoint doctor FILE|RUN` (E-20, D-17, D-21): what of signal, route and limit a loop lacks, and how it is closed. A file
 * needs no server. It advises: exit 0 whatever it finds; 2 for a definition that is invalid.
 */
export async function doctorCommand(context: CliContext, word: string, flags: DoctorFlags): Promise<ExitCode> {
  const isRun = /^run_\w+$/.test(word);
  if (isRun && flags.fix === true) {
    throw new CliFailure(exitCodes.usage, '--fix mends a file, and a run keeps the plan that it has', {
      remedy: 'mend the file, then `setpoint edit RUN FILE`',
    });
  }
  const diagnosis = isRun ? await ofRun(context, word, flags) : await ofFile(context, word, flags);
  const traced = flags.trace === true ? await trace(diagnosis.plan) : undefined;
  await tell(context, diagnosis, { format: flags.format ?? 'text', ...present({ traced }) });
  return exitCodes.succeeded;
}

async function ofRun(context: CliContext, runId: string, flags: DoctorFlags): Promise<Diagnosis> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  const [{ whole }, stored, { examineRun }] = await Promise.all([
    client.run(runId),
    client.events(runId),
    import('#core/doctor/history/examine-run.ts'),
  ]);
  const plan = planOf(whole);
  const examined = examineRun(
    plan,
    stored.map(({ event }) => event),
  );
  return { about: runId, isFile: false, plan, warnings: [], ...examined };
}

async function ofFile(context: CliContext, file: string, flags: DoctorFlags): Promise<Diagnosis> {
  const given = await readDefinition(context, file);
  const { examineText } = await import('#dialects/examine-text.ts');
  const settings = { ...present({ dialect: flags.dialect }), unknownCalls: 'warning' as const };
  const fixed = flags.fix === true ? await fixFile(context, given, settings) : { text: given.text };
  const examined = examineText({ ...given, ...settings, text: fixed.text });
  if (examined.kind === 'issues')
    throw new InvalidDefinition(file, examined.issues, 'mend the lines above, then ask again');
  const { plan, warnings, findings, loops, dialect } = examined;
  return {
    ...(dialect === 'native' ? {} : { foreign: dialect }),
    about: file,
    isFile: true,
    plan,
    warnings,
    findings,
    loops,
    ...('mended' in fixed ? { mended: fixed.mended } : {}),
  };
}

/** Written only when something is mended. Throws with exit code 2 for a text that has no file. */
async function fixFile(
  context: CliContext,
  { file, text }: DefinitionFile,
  settings: { dialect?: string; unknownCalls: 'warning' },
): Promise<{ text: string; mended: Finding[] }> {
  if (file === '-') {
    throw new CliFailure(exitCodes.usage, '--fix writes into the file, and stdin is none', {
      remedy: 'name the file in place of -',
    });
  }
  const { applyFixes } = await import('#dialects/fix/apply-fixes.ts');
  const fixed = applyFixes({ file, text, ...settings });
  if (fixed.mended.length > 0) await writeFile(resolve(context.cwd, file), fixed.text);
  return fixed;
}

async function trace(plan: Plan): Promise<TracedLoop[]> {
  const { traceLoops } = await import('#core/doctor/trace.ts');
  return traceLoops(plan);
}

interface Telling {
  format: NonNullable<DoctorFlags['format']>;
  traced?: TracedLoop[];
}

async function tell(context: CliContext, diagnosis: Diagnosis, { format, traced }: Telling): Promise<void> {
  const { about, isFile, findings, loops, passes, mended, warnings } = diagnosis;
  switch (format) {
    case 'json': {
      const told = { about, findings, loops, warnings, ...present({ passes, mended, traced }) };
      context.terminal.out(JSON.stringify(told));
      return;
    }
    case 'sarif': {
      const { sarifOf } = await import('#cli/doctor/sarif.ts');
      context.terminal.out(JSON.stringify(sarifOf(findings, isFile ? about : undefined), null, 2));
      return;
    }
    case 'text':
      await tellInWords(context, diagnosis, traced);
      return;
    default:
      unreachable(format);
  }
}

/** What compiling warns of and no rule of the doctor says better. */
const saidByRules: ReadonlySet<string> = new Set(['review/same-provider', 'report/alone', 'loop/no-signal']);

async function tellInWords(
  { terminal }: CliContext,
  diagnosis: Diagnosis,
  traced: TracedLoop[] | undefined,
): Promise<void> {
  const { about, findings, loops, passes = [], mended, warnings, foreign } = diagnosis;
  const text = await import('#cli/doctor/doctor-text.ts');
  for (const { rule, message, line } of mended ?? []) {
    terminal.out(terminal.paint('good', `${about}${line === undefined ? '' : `:${line}`} mended ${rule}: ${message}`));
  }
  if (mended?.length === 0) terminal.out('Nothing to mend by itself.');
  for (const line of issueLines(
    about,
    warnings.filter(({ code }) => !saidByRules.has(code)),
  ))
    terminal.out(line);
  const lines = [
    ...findings.flatMap((finding) => text.findingLines(about, finding)),
    ...text.answerLines(loops),
    ...text.passLines(passes),
    ...(traced === undefined ? [] : text.traceLines(traced)),
    ...(foreign === undefined ? [] : text.foreignLines(about, foreign, findings)),
    text.closingLine(findings, loops),
  ];
  for (const line of lines) terminal.out(terminal.paint(line.tone, line.text));
}

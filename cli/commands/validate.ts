import type { Plan } from '#core/plan/plan.ts';

import { compileHere, readDefinition } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { issueLines } from '#cli/render/issue-lines.ts';

export interface CompileFlags {
  dialect?: string;
  graph?: boolean;
}

/** `setpoint validate FILE`: all issues at once, offline; exit 0 when there is no error, else 2. */
export async function validateCommand(context: CliContext, file: string, flags: CompileFlags): Promise<ExitCode> {
  const { plan, warnings } = await compileHere(await readDefinition(context, file), dialectOf(flags));
  for (const line of issueLines(file, warnings)) context.terminal.out(line);
  const steps = plan.steps.length === 1 ? '1 step' : `${plan.steps.length} steps`;
  context.terminal.out(`${file}: valid (${plan.name}, ${steps})`);
  return exitCodes.succeeded;
}

/** `setpoint plan FILE [--graph]`: the compiled plan in plain words with every default, or its graph; offline. */
export async function planCommand(context: CliContext, file: string, flags: CompileFlags): Promise<ExitCode> {
  const { plan, warnings } = await compileHere(await readDefinition(context, file), dialectOf(flags));
  for (const line of issueLines(file, warnings)) context.terminal.err(line);
  context.terminal.out((flags.graph === true ? await graph(plan) : await explanation(plan)).trimEnd());
  return exitCodes.succeeded;
}

async function explanation(plan: Plan): Promise<string> {
  const { explainPlan } = await import('#core/plan/explain.ts');
  return explainPlan(plan);
}

async function graph(plan: Plan): Promise<string> {
  const { graphOf } = await import('#core/plan/graph.ts');
  return graphOf(plan);
}

function dialectOf(flags: CompileFlags): { dialect?: string } {
  return flags.dialect === undefined ? {} : { dialect: flags.dialect };
}

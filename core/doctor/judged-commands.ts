import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Condition } from '#core/check/condition.ts';
import type { ShellScript } from '#core/doctor/shell/script.ts';
import { readShell } from '#core/doctor/shell/script.ts';
import { type Program, programsIn } from '#core/doctor/shell/program.ts';
import { kindOf, type ProgramKind } from '#core/doctor/shell/kinds.ts';

/** A command whose result decides something. */
export interface JudgedCommand {
  step: StepPlan;
  role: 'check' | 'step' | 'repeat' | 'when';
  /** Long form. */
  path: string;
  command: string;
  /** Whether its exit code decides, and not what it prints. */
  byExit: boolean;
  /** The exit code that is good. */
  wants: number;
  /** A number of tests must have run, too (B9). */
  evidence: boolean;
  /** Absent when it cannot be read. */
  script: ShellScript | undefined;
  programs: readonly Program[];
  /** What its programs are for. */
  kinds: ReadonlySet<ProgramKind>;
}

/** In plan order: what stands before each step, its own command, its checks, the condition of its loop. */
export function judgedCommands(plan: Plan, prefix: string): JudgedCommand[] {
  const given = Object.entries(plan.inputs).flatMap(([name, input]) =>
    input.default === undefined ? [] : [[name, input.default] as const],
  );
  const defaults = Object.fromEntries(given);
  return plan.steps.flatMap((step) => commandsOf(step, `${prefix}steps.${step.id}`, defaults));
}

function commandsOf(step: StepPlan, at: string, defaults: Readonly<Record<string, string>>): JudgedCommand[] {
  const read = (part: Pick<JudgedCommand, 'role' | 'path' | 'command'> & Partial<JudgedCommand>): JudgedCommand => {
    const script = readShell(part.command, defaults);
    const programs = script === undefined ? [] : programsIn(script);
    const kinds = new Set(programs.flatMap((program) => kindOf(program) ?? []));
    return { step, byExit: true, wants: 0, evidence: false, script, programs, kinds, ...part };
  };
  const found: JudgedCommand[] = [];
  if (step.when !== undefined) found.push(read({ ...ofCondition(step.when.condition, `${at}.when`), role: 'when' }));
  if (step.work.kind === 'run') found.push(read({ role: 'step', path: `${at}.run`, command: step.work.command }));
  for (const [index, check] of step.checks.entries()) {
    if (check.kind !== 'command') continue;
    const { command, expectExit: wants, evidence } = check;
    const path = `${at}.checks.${index}.run`;
    found.push(read({ role: 'check', path, command, wants, evidence: evidence !== undefined }));
  }
  const repeat = step.loop?.repeat;
  if (repeat?.condition !== undefined) {
    found.push(read({ ...ofCondition(repeat.condition, `${at}.loop.${repeat.mode}`), role: 'repeat' }));
  }
  return found;
}

/** A7: what `auto` compares follows from what is expected. */
function ofCondition(
  { command, compare, returns }: Condition,
  at: string,
): Pick<JudgedCommand, 'path' | 'command' | 'byExit' | 'wants'> {
  const wanted = returns.trim();
  const byExit = compare === 'exitCode' || (compare === 'auto' && /^(true|false|-?\d+)$/.test(wanted));
  const wants = wanted === 'true' ? 0 : wanted === 'false' ? 1 : Number(wanted);
  return { path: `${at}.run`, command, byExit, wants: Number.isNaN(wants) ? 0 : wants };
}

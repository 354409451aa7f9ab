import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';

import { explainPlan } from '#core/plan/explain.ts';
import type { Plan } from '#core/plan/plan.ts';

import { compileHere, type DefinitionFile, readDefinition } from '#cli/commands/definition-file.ts';
import { runCommand } from '#cli/commands/run.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { doctorNote } from '#cli/init/doctor-note.ts';
import { makeStarter } from '#cli/init/make-starter.ts';
import { nextCommands } from '#cli/init/next-commands.ts';
import { defaultFile, type StarterName, starterNames, summaryOf } from '#cli/init/starters.ts';
import { requireFree, writeDefinition } from '#cli/init/write-definition.ts';
import type { Choice, Prompts } from '#cli/wizard/prompts.ts';
import { askTask } from '#cli/wizard/ask-task.ts';

type Way = 'task' | 'starter' | 'file';

/**
 * Bare `setpoint` in a terminal (T-22): from what is to be done to a definition with its plan explained, written into a new
 * file, and started when the person says so. Ctrl-C at any question leaves nothing behind; exit 130.
 */
export async function wizard(context: CliContext, prompts: Prompts): Promise<ExitCode> {
  const way = await prompts.choose<Way>({ message: 'What shall be done?', choices: ways });
  const chosen = way === 'file' ? await askFile(context, prompts) : await askNew(context, prompts, way);
  if (chosen === undefined) {
    context.terminal.out('Nothing was written.');
    return exitCodes.succeeded;
  }
  const { file, plan } = chosen;
  if (!(await prompts.confirm({ message: 'Start the run now?', initial: false }))) {
    for (const line of nextCommands(file, plan)) context.terminal.out(line);
    return exitCodes.succeeded;
  }
  const input = await askInputs(prompts, plan);
  return runCommand(context, file, { input, wait: true, worktree: true });
}

const ways: readonly Choice<Way>[] = [
  { value: 'task', label: 'A task, in your own words', hint: 'one agent, and checks that judge it' },
  { value: 'starter', label: 'A starter', hint: 'a loop that many use, filled with what your repository tells' },
  { value: 'file', label: 'A definition that is here already' },
];

interface Chosen {
  file: string;
  plan: Plan;
}

async function askFile(context: CliContext, prompts: Prompts): Promise<Chosen> {
  const definition = await readDefinition(context, await askPath(context, prompts));
  return { file: definition.file, plan: await shown(prompts, definition) };
}

async function askPath({ cwd }: CliContext, prompts: Prompts): Promise<string> {
  const found = (await readdir(cwd)).filter((name) => /\.loop\.(?:ya?ml|json)$/.test(name)).toSorted();
  const message = 'Which file?';
  if (found.length === 0) return prompts.text({ message, check: requireText });
  const choices: Choice<string | undefined>[] = found.map((name) => ({ value: name, label: name }));
  const named = await prompts.choose({ message, choices: [...choices, { value: undefined, label: 'another one' }] });
  return named ?? prompts.text({ message, check: requireText });
}

/** Undefined when the person does not want it. */
async function askNew(context: CliContext, prompts: Prompts, way: 'task' | 'starter'): Promise<Chosen | undefined> {
  const made = way === 'task' ? await askTask(context, prompts) : await askStarter(context, prompts);
  await prompts.show('The definition', made.text);
  const plan = await shown(prompts, made);
  const file = await prompts.text({
    message: 'Write it to which file?',
    initial: freeName(context, made.file),
    check: (text) =>
      requireText(text) ?? (isTaken(context, text) ? `${text} is there already: name another` : undefined),
  });
  await requireFree(context, file);
  if (!(await prompts.confirm({ message: `Write ${file}?`, initial: true }))) return undefined;
  await writeDefinition(context, file, made.text);
  context.terminal.out(`Wrote ${file} (${plan.name}).`);
  return { file, plan };
}

/** `feature.loop.yaml`, else `feature-2.loop.yaml` and so on. */
function freeName(context: CliContext, file: string): string {
  const [, stem = file, ending = ''] = /^(.*?)((?:\.loop)?\.\w+)$/.exec(file) ?? [];
  for (let number = 2, name = file; ; number += 1) {
    if (!isTaken(context, name)) return name;
    name = `${stem}-${number}${ending}`;
  }
}

function isTaken({ cwd }: CliContext, file: string): boolean {
  return existsSync(resolve(cwd, file));
}

async function askStarter(context: CliContext, prompts: Prompts): Promise<DefinitionFile> {
  const choices = starterNames.map((value) => ({ value, label: value, hint: summaryOf(value) }));
  const name = await prompts.choose<StarterName>({ message: 'Which starter?', choices });
  const { text, notes } = await makeStarter(context, name, { inputs: [], prompts });
  for (const note of notes) context.terminal.err(note);
  return { file: defaultFile(name), text };
}

/** Compiles it, which tells every issue, and shows its plan in plain words, with what the doctor has to say. */
async function shown(prompts: Prompts, definition: DefinitionFile): Promise<Plan> {
  const { plan } = await compileHere(definition);
  await prompts.show('What it does', explainPlan(plan).trimEnd());
  const said = doctorNote(definition);
  if (said !== undefined) await prompts.show('What the doctor says', said);
  return plan;
}

async function askInputs(prompts: Prompts, plan: Plan): Promise<string[]> {
  const pairs: string[] = [];
  for (const [name, input] of Object.entries(plan.inputs)) {
    if (!input.required || input.default !== undefined) continue;
    pairs.push(`${name}=${await prompts.text({ message: `Input ${name}?`, check: requireText })}`);
  }
  return pairs;
}

function requireText(text: string): string | undefined {
  return text === '' ? 'It must not be empty.' : undefined;
}

import picomatch from 'picomatch/posix.js';

import type { Facts } from '#core/doctor/facts.ts';
import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { foldersKept, isAboutFile, isAboutTests, keepsOff, promptOf } from '#core/doctor/prompts.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import { isSignal } from '#core/doctor/rules/commands-that-cannot-fail.ts';
import { scriptOf } from '#core/doctor/shell/kinds.ts';

/** D-17's third row: the agent could change the answer in place of the work. */
export const agentCanEdit: Rule = {
  id: 'check/agent-can-edit',
  severity: 'note',
  title: 'The agent can edit what the check runs.',
  why: 'An agent under pressure mends the check in place of the work, and the check then passes.',
  remedy: 'Name the files under `workspace.protect`: a change to one of them fails the pass.',
  example: {
    wrong: 'task: Make the service answer.\nagent: codex\nchecks:\n  - ./scripts/verify.sh\n',
    right:
      'task: Make the service answer.\nagent: codex\nchecks:\n  - ./scripts/verify.sh\nworkspace:\n  protect: [scripts/verify.sh]\n',
  },
  find: (facts) => [...scripts(facts), ...tests(facts)],
};

/** A command with the agents whose work it judges. */
interface Judging {
  command: JudgedCommand;
  prompts: readonly string[];
}

function judging(facts: Facts): Judging[] {
  return facts.commands.filter(isSignal).flatMap((command) => {
    const workers = judgedBy(facts, command).filter(({ readOnly, work }) => !readOnly && work.kind === 'agent');
    return workers.length === 0 ? [] : [{ command, prompts: workers.map(promptOf) }];
  });
}

function judgedBy(facts: Facts, { step }: JudgedCommand) {
  const looping = facts
    .loopsOver(step)
    .filter(({ owner }) => owner.id === step.id)
    .flatMap(({ workers }) => workers);
  if (looping.length > 0) return looping;
  if (step.work.kind === 'agent') return [step];
  const agent = facts.lastBefore(step, ({ work, readOnly }) => work.kind === 'agent' && !readOnly);
  return agent === undefined ? [] : [agent];
}

function scripts(facts: Facts): Found[] {
  const isProtected = protection(facts);
  const seen = new Set<string>();
  return judging(facts).flatMap(({ command, prompts }) => {
    const files = command.programs.flatMap((program) => scriptOf(program) ?? []);
    return files.flatMap((file): Found[] => {
      if (isProtected(file) || seen.has(file) || prompts.some((prompt) => isAboutFile(prompt, file))) return [];
      seen.add(file);
      const { path, step } = command;
      const at = { path, severity: 'warning' as const, missing: 'signal' as const, ...loopOf(step) };
      const message = `the agent can edit \`${file}\`, which decides whether its work passes`;
      if (!facts.plan.workspace.worktree) return [{ ...at, message, remedy: outside }];
      const fix = { kind: 'add' as const, path: `${facts.prefix}workspace.protect`, values: [file] };
      return [{ ...at, message, remedy: `Write \`workspace: { protect: [${file}] }\`.`, fix }];
    });
  });
}

const outside =
  'Keep the script outside the folder in which the agent works, or let the run have a worktree, where files can be protected.';

/** One note for a plan: what holds for one test command holds for all. */
function tests(facts: Facts): Found[] {
  const { workspace } = facts.plan;
  if (!workspace.worktree || coversTests(facts)) return [];
  const open = judging(facts).find(
    ({ command, prompts }) => (command.kinds.has('tests') || command.kinds.has('slow')) && !prompts.some(isAboutTests),
  );
  if (open === undefined) return [];
  const { command, prompts } = open;
  const folders = [...new Set(prompts.flatMap(foldersKept))].map((folder) => `${folder}**`);
  const told = prompts.some(keepsOff);
  // It is told, and nobody but the file's author knows where the tests are: that much was done.
  if (told && folders.length === 0) return [];
  const what = told
    ? 'is told to leave the tests alone, and nothing keeps it from them'
    : 'can edit the tests that judge it';
  const fix = { kind: 'add' as const, path: `${facts.prefix}workspace.protect`, values: folders };
  return [
    {
      path: command.path,
      message: `the agent ${what}`,
      remedy:
        'Write where they are, such as `workspace: { protect: ["test/**"] }`; if tests are part of the task, say so in it.',
      ...loopOf(command.step),
      ...(folders.length === 0 ? {} : { fix }),
    },
  ];
}

/** Whether a change to a file fails the pass (B4). */
export function protection({ plan }: Facts): (file: string) => boolean {
  const { protect } = plan.workspace;
  return protect.length === 0 ? () => false : picomatch([...protect], { dot: true });
}

/** Where tests are in one project or another. */
const testPlaces = [
  'test/a.test.js',
  'tests/test_a.py',
  'tests/a.rs',
  'spec/a_spec.rb',
  '__tests__/a.js',
  'e2e/a.spec.ts',
  'src/a.test.ts',
  'src/__tests__/a.ts',
  'src/a.spec.ts',
  'src/test/java/A.java',
  'a_test.go',
  'pkg/a_test.go',
  'test_a.py',
];

/** Some tests are protected, or something that is named like tests. */
export function coversTests(facts: Facts): boolean {
  const isProtected = protection(facts);
  const { protect } = facts.plan.workspace;
  return (
    testPlaces.some((place) => isProtected(place)) ||
    protect.some((glob) => /test|spec|e2e|fixture|snapshot|integration|smoke|bench/i.test(glob))
  );
}

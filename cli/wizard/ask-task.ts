import type { DeliveryPlan } from '#core/plan/plan.ts';

import type { DefinitionFile } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { readFacts } from '#cli/init/read-facts.ts';
import type { Suggestions } from '#cli/init/slots.ts';
import { suggestionsFrom } from '#cli/init/suggestions.ts';
import { suggestedDefinition } from '#cli/init/suggested-definition.ts';
import { type TaskCheck, taskDefinition, type TaskLoop } from '#cli/init/task-definition.ts';
import type { Choice, Prompts } from '#cli/wizard/prompts.ts';

/** A task in words, its agent, checks, limits and delivery, as a definition with a name for its file. */
export async function askTask(context: CliContext, prompts: Prompts): Promise<DefinitionFile> {
  const { suggestions, notes } = suggestionsFrom(await readFacts(context));
  for (const note of notes) context.terminal.err(note);
  const task = await prompts.text({
    message: 'What is the task? Say what is true when it is done.',
    check: (text) => required(text, 'the task'),
  });
  const agent = await askAgent(prompts, suggestions);
  const file = `${fileStem(task)}.loop.yaml`;
  if ((await prompts.choose({ message: 'Who says how it is judged?', choices: judges })) === 'agent') {
    return { file, text: await suggestedDefinition(context, task, agent) };
  }
  const checks = await askChecks(prompts, suggestions, agent);
  const limits = await askLimits(prompts);
  const deliver = await prompts.choose({ message: 'What happens to work that passed?', choices: deliveries });
  const { base, setup, tests } = suggestions;
  const protect = tests === undefined ? undefined : await askProtect(prompts, tests.value);
  const text = taskDefinition({
    name: nameOf(task),
    comments: [],
    task,
    agent,
    mode: 'all',
    checks,
    ...limits,
    base: base?.value,
    setup: setup?.value,
    protect,
    deliver,
  });
  return { file, text };
}

/** A suggestion takes the place of the form (E-21). */
const judges: readonly Choice<'you' | 'agent'>[] = [
  { value: 'you', label: 'You', hint: 'with what was found here' },
  {
    value: 'agent',
    label: 'The agent suggests it',
    hint: 'it reads the repository now, for some tokens; you review it',
  },
];

/** Those that are signed in come first. */
async function askAgent(prompts: Prompts, { agent }: Suggestions): Promise<string> {
  const found = agent === undefined ? [] : [agent.value, ...(agent.others ?? [])];
  const auto: Choice<string> = { value: 'auto', label: 'auto', hint: 'the first one that is installed and signed in' };
  const choices = [...found.map((name) => ({ value: name, label: name, hint: 'installed here' })), auto];
  return prompts.choose({ message: 'Which agent does it?', choices });
}

const reviewCriterion = 'The change does what the task asks for, a test covers it, and nothing else was changed.';

async function askChecks(prompts: Prompts, suggestions: Suggestions, agent: string): Promise<TaskCheck[]> {
  const { test, lint, unused, reviewer } = suggestions;
  const commands = Object.entries({ tests: test, lint, unused }).flatMap(([name, suggestion]): Choice<TaskCheck>[] =>
    suggestion === undefined
      ? []
      : [
          {
            value: { kind: 'command', name, run: suggestion.value },
            label: suggestion.value,
            hint: suggestion.because,
          },
        ],
  );
  const other = reviewer?.value === agent ? suggestions.agent?.value : reviewer?.value;
  const review: TaskCheck = {
    kind: 'review',
    name: 'review',
    criterion: reviewCriterion,
    agent: other === undefined ? 'auto' : other,
  };
  const choices = [...commands, { value: review, label: 'a review by another agent', hint: reviewCriterion }];
  const taken = commands.slice(0, 1).map(({ value }) => value);
  const chosen = await prompts.chooseSome({ message: 'What judges the work?', choices, taken });
  const own = await prompts.text({
    message: 'A command of yours that must pass?',
    whenEmpty: 'none',
    check: (text) => (chosen.length > 0 ? undefined : required(text, 'at least one check')),
  });
  return own === '' ? chosen : [{ kind: 'command', name: 'own', run: own }, ...chosen];
}

async function askLimits(prompts: Prompts): Promise<Pick<TaskLoop, 'passes' | 'time' | 'spend'>> {
  const passes = await prompts.text({
    message: 'How many passes at most?',
    initial: '5',
    check: (text) => (/^[1-9]\d{0,3}$/.test(text) ? undefined : 'It must be a whole number from 1 to 9999.'),
  });
  const time = await prompts.text({
    message: 'How long may it work, waits not counted?',
    initial: '2h',
    check: (text) => (/^[1-9]\d*[smhd]$/.test(text) ? undefined : 'Write it as 90s, 15m, 2h or 1d.'),
  });
  const spend = await prompts.text({
    message: 'How much may it spend?',
    whenEmpty: 'no limit; else such as 5 USD',
    check: (text) => (/^(?:\d+(?:\.\d+)? USD)?$/.test(text) ? undefined : 'Write it as 5 USD, or nothing.'),
  });
  return { passes: Number(passes), time, ...(spend === '' ? {} : { spend }) };
}

const deliveries: readonly Choice<DeliveryPlan['mode']>[] = [
  { value: 'branch', label: 'a branch', hint: 'setpoint/<run>, with one commit' },
  { value: 'commit', label: 'a commit', hint: 'without a branch' },
  { value: 'none', label: 'nothing', hint: 'it stays in the worktree of the run' },
];

async function askProtect(prompts: Prompts, patterns: string): Promise<string[] | undefined> {
  const isWanted = await prompts.confirm({
    message: `May the agent edit the tests (${patterns})? If not, an edit fails the pass.`,
    initial: true,
  });
  return isWanted ? undefined : patterns.split(', ');
}

const longestName = 60;

function nameOf(task: string): string {
  const line = task.split('\n', 1)[0] ?? '';
  return line.length > longestName ? `${line.slice(0, longestName - 1)}…` : line;
}

/** The first words of a task as a file's name. */
function fileStem(task: string): string {
  const words = task.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 4).join('-') || 'task';
}

function required(text: string, what: string): string | undefined {
  return text === '' ? `It needs ${what}.` : undefined;
}

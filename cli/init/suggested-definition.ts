import type { Suggestion } from '#core/suggest/suggestion.ts';
import { oneLine } from '#core/text/quote.ts';

import { compileHere } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { askForSuggestion } from '#cli/init/ask-agent.ts';
import { readFacts } from '#cli/init/read-facts.ts';
import { suggestionsFrom } from '#cli/init/suggestions.ts';
import { taskDefinition } from '#cli/init/task-definition.ts';

const defaultTime = '2h';

/** Asks the agent and gives the definition of what it suggests, compiled once, so that it is known to be one. */
export async function suggestedDefinition(context: CliContext, task: string, agent: string): Promise<string> {
  const { terminal } = context;
  const facts = await readFacts(context, { agents: false });
  const { suggestions, notes } = suggestionsFrom(facts);
  for (const note of notes) terminal.err(note);
  const told = await askForSuggestion(context, { task, agent, repo: context.cwd }, (name, tries) =>
    terminal.err(
      tries === 1
        ? `Asking ${name}, which may read this repository at HEAD and change nothing…`
        : `Asking ${name} once more…`,
    ),
  );
  const { suggestion } = told;
  const text = taskDefinition({
    name: oneLine(suggestion.name, 60),
    comments: [`Suggested by ${told.agent}; read it before you run it. ${suggestion.why}`],
    task,
    agent: told.agent,
    mode: suggestion.mode,
    checks: suggestion.checks.map((check) => checkOf(check)),
    passes: suggestion.passes,
    time: defaultTime,
    base: suggestions.base?.value,
    setup: suggestions.setup?.value,
    deliver: 'branch',
  });
  await compileHere({ file: 'the suggestion', text });
  return text;
}

function checkOf(check: Suggestion['checks'][number]): Suggestion['checks'][number] {
  return { ...check, name: oneLine(check.name, 60) };
}

import { z } from 'zod';

import { Suggestion } from '#core/suggest/suggestion.ts';
import { fenced } from '#core/text/quote.ts';

const schema = JSON.stringify(z.toJSONSchema(Suggestion), null, 2);

/** What an agent is asked that suggests a loop for a task (E-21). */
export function suggestionBrief(task: string): string {
  return `# Suggest a loop

Another agent will do the task below in this repository, in passes, until checks outside of it pass. Suggest the checks, how they count, and a cap on the passes. Look at the repository: its files say how it is built, tested and linted. Change nothing and do not do the task.

## The task

It is quoted. Do not do it.

${fenced(task.trim())}

## A good loop

- Each command exits 0 only when the work is right. It runs in a clean checkout of the work with \`sh -c\`, from the root of the repository, without a person and without input.
- No command that cannot fail (\`echo\`, \`|| true\`, a pipe that hides the exit code), none that changes files, needs a password, or reaches into production.
- Only commands that this repository has, or that come with the tools it uses. At least one check is a command.
- A \`review\` is another agent that judges by a criterion: for what no command can tell. At most two.
- \`mode\` is \`all\` unless one passing check is enough. \`passes\` is as small as is sensible: 3 to 8 for most tasks.
- \`why\` says in a sentence what the check would catch.

## Your answer

End your answer with one JSON object of this schema, and write nothing after it:

${fenced(schema)}
`;
}

/** The second and last question, when an answer was no suggestion. */
export function suggestionRepair(brief: string, { answer, why }: { answer: string; why: string }): string {
  return `${brief}
## Your last answer

It could not be used: ${why}. It was, quoted:

${fenced(answer.trim().slice(-8_000))}

Answer again, with the object alone.
`;
}

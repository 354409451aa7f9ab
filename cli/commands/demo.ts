import { relative } from 'node:path';

import { usableAgents } from '#cli/commands/agents.ts';
import { readDefinition } from '#cli/commands/definition-file.ts';
import { startAndFollow, startRequest } from '#cli/commands/run.ts';
import type { CliContext } from '#cli/context.ts';
import { demoDefinitionFile } from '#cli/demo/demo-files.ts';
import { createDemoRepository } from '#cli/demo/demo-repository.ts';
import type { ExitCode } from '#cli/failure.ts';
import type { Followed } from '#cli/follow/follow-run.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';

export interface DemoFlags extends GlobalFlags {
  agent?: string;
  dir?: string;
  quiet?: boolean;
  json?: boolean;
}

/**
 * `setpoint demo`: a small repository with two failing tests, and the loop that mends them, followed to its end. The
 * stack's data are in `$SETPOINT_HOME`, or in `.setpoint/` of the folder where it was typed. Exit codes as `run`.
 */
export async function demoCommand(context: CliContext, flags: DemoFlags): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const agent = flags.agent ?? (await offeredAgent(context, flags));
  const folder = await createDemoRepository(context.cwd, {
    ...(flags.dir === undefined ? {} : { dir: flags.dir }),
    ...(agent === undefined || agent === 'scripted' ? {} : { agent }),
  });
  const shown = relative(context.cwd, folder) || '.';
  const say = (line: string): void => {
    if (flags.quiet !== true) context.terminal.err(line);
  };
  say(`Made ${shown}: two functions, each with a mistake, a test for each, and the loop in ${demoDefinitionFile}`);
  const inside: CliContext = { ...context, cwd: folder };
  const definition = await readDefinition(inside, demoDefinitionFile);
  const body = startRequest(inside, definition, settings, { wait: true, worktree: true });
  // Not inside: a stack that is started must not stand in a folder that is soon deleted.
  const followed = await startAndFollow(context, settings, { definition, body, flags: { ...flags, wait: true } });
  for (const line of nextSteps(shown, followed)) say(line);
  return followed.exitCode;
}

/** What to do after the demo; nothing when it was left before its end. */
function nextSteps(folder: string, followed: Followed): string[] {
  const outcome = followed.outcome;
  if (outcome === undefined) return [];
  const branch = outcome.branch;
  const taken =
    branch === null
      ? []
      : [
          `The checked work is on branch ${branch} of ${folder}; your checkout was not touched.`,
          `  see it    git -C ${folder} diff main ${branch}`,
          `  take it   git -C ${folder} merge ${branch}`,
        ];
  return [
    '',
    ...taken,
    `  the loop  ${folder}/${demoDefinitionFile}`,
    `  the story setpoint show ${outcome.runId}`,
    'Next: copy the loop into a repository of yours, name your agent and your test command, `setpoint run` it.',
  ];
}

/** A real agent that the person agreed to; undefined = the scripted one, and it is said why. */
async function offeredAgent(context: CliContext, flags: DemoFlags): Promise<string | undefined> {
  const { terminal } = context;
  const say = (line: string): void => {
    if (flags.quiet !== true) terminal.err(line);
  };
  // The demo must work where agents cannot be probed: that is said, and the scripted agent works.
  const [first] = await usableAgents(context, say);
  if (first === undefined) {
    say('No coding agent was found here: a scripted agent stands in for one.');
    return undefined;
  }
  if (!terminal.interactive || flags.quiet === true || flags.json === true) {
    say(`A scripted agent works here; \`setpoint demo --agent ${first.name}\` lets ${first.name} do it.`);
    return undefined;
  }
  const answer = await terminal.ask(`${first.name} is installed. Let it do the demo? It spends some tokens. [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return first.name;
  say('A scripted agent stands in for it.');
  return undefined;
}

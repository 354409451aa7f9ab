import { homedir } from 'node:os';
import { text } from 'node:stream/consumers';
import { errorPageOf } from '#core/contract/error-page-of.ts';
import { Fault } from '#core/contract/fault.ts';
import { StackFault } from '#core/contract/stack.ts';
import { type SuggestMessage, SuggestRequest } from '#core/contract/suggest.ts';
import { suggest, type Suggested } from '#activities/suggest/suggest.ts';
import { config, hostEnvironment } from '#infra/config.ts';
import { useGitSearchPath } from '#infra/git/git.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';
import { ensureHome } from '#infra/stack/home-layout.ts';
import { untilSignal } from '#workers/process.ts';

/**
 * `node dist/workers/suggest.js`: asks an agent for the checks of a task (E-21), as a `SuggestRequest` on stdin says. One
 * `SuggestMessage` a line on stdout. Exit code 0 with a suggestion, 5 without one.
 */
async function main(): Promise<number> {
  const request = SuggestRequest.parse(JSON.parse(await text(process.stdin)));
  const answer = await answered(request);
  if (answer.kind === 'suggested') {
    say({ event: 'suggested', agent: answer.agent, suggestion: answer.suggestion });
    return 0;
  }
  say({ event: 'failed', message: answer.message, remedy: answer.remedy });
  return 5;
}

async function answered(request: SuggestRequest): Promise<Suggested> {
  const signal = untilSignal();
  try {
    const settings = config();
    if (settings.loops === 'off') return switchedOff;
    const environment = hostEnvironment();
    const path = environment['PATH'] ?? '';
    useGitSearchPath(path);
    ensureHome(settings.home);
    const sandbox = await chooseSandbox(settings.sandbox, { path, warn: (line) => process.stderr.write(`${line}\n`) });
    const deps = { environment, home: settings.home, userHome: homedir(), sandbox };
    return await suggest(deps, request, { signal, onAsking: (agent, tries) => say({ event: 'asking', agent, tries }) });
  } catch (error) {
    if (error instanceof Fault || error instanceof StackFault) {
      return { kind: 'failed', message: error.message, remedy: `see ${errorPageOf(error.code)}.md` };
    }
    throw error;
  }
}

/** E-27: an agent that is asked spends. */
const switchedOff: Suggested = {
  kind: 'failed',
  message: 'loops are switched off here (SETPOINT_LOOPS=off), and no agent is asked',
  remedy: 'ask whoever runs this deployment, or begin with a starter (setpoint init)',
};

function say(message: SuggestMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

process.exitCode = await main();

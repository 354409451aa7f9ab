import { Fault } from '#core/contract/fault.ts';
import type { AgentAdapter, AgentInvocation, AgentRequest } from '#activities/agents/adapter.ts';
import { fitsInArgument } from '#activities/agents/prompt-delivery.ts';
import { textStreamParser } from '#activities/agents/text-stream.ts';
import { join } from 'node:path';

/** The agent without a model: one piece of shell a pass, the last one repeats. For demos, tests and teaching. */
export const scripted: AgentAdapter = {
  name: 'scripted',
  program: 'bash',
  invoke,
  parser: textStreamParser,
  secretNames: [],
  reportsUsage: 'none',
  resumable: false,
  takesSessionId: false,
  endsAtTerminalEvent: false,
};

function invoke(request: AgentRequest): AgentInvocation {
  const passes = request.scripted?.passes ?? [];
  const script = passes[Math.min(request.pass, passes.length) - 1];
  if (script === undefined) {
    throw new Fault(
      'agent/bad-request',
      'The agent "scripted" has no passes. Give it one: {name: scripted, passes: ["shell for pass 1"]}.',
    );
  }
  const path = join(request.home, 'prompts', `pass-${request.pass}.sh`);
  const inline = fitsInArgument(script);
  return {
    argv: [request.executable ?? 'bash', ...(inline ? ['-c', script] : [path])],
    env: { HOME: request.home },
    stdin: request.prompt,
    files: inline ? [] : [{ path, content: script }],
    variableNames: [],
    signInFiles: [],
  };
}

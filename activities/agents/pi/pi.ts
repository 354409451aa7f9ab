import { join } from 'node:path';
import type { AgentAdapter, AgentInvocation, AgentRequest, AgentSession } from '#activities/agents/adapter.ts';
import { PiEvents } from '#activities/agents/pi/pi-events.ts';
import { eventStreamParser } from '#activities/agents/stream/event-stream.ts';

const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'];

export const pi: AgentAdapter = {
  name: 'pi',
  program: 'pi',
  invoke,
  parser: ({ now }) => eventStreamParser(new PiEvents(), now),
  probe: {
    versionArguments: ['--version'],
    version: (stdout) => /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0],
    signedInBy: { variables: keys, files: ['.pi/agent/auth.json', '.pi/agent/models.json'] },
    install: 'npm install -g @earendil-works/pi-coding-agent (needs Node 22.19 or newer)',
    signIn: 'pi, then /login',
  },
  secretNames: keys,
  reportsUsage: 'cost',
  resumable: true,
  sessionsStay: true,
  takesSessionId: true,
  endsAtTerminalEvent: false,
};

function invoke(request: AgentRequest): AgentInvocation {
  const home = join(request.home, '.pi', 'agent');
  return {
    argv: [
      request.executable ?? 'pi',
      '--mode',
      'json',
      '--session-dir',
      join(home, 'sessions'),
      ...sessionFlag(request.session),
      ...(request.model === undefined ? [] : ['--model', request.model]),
      ...(request.effort === undefined ? [] : ['--thinking', request.effort]),
      // Pi has no permission mode: a reader simply lacks the tools that write.
      ...(request.mode === 'read' ? ['--tools', 'read,grep,find,ls'] : []),
      ...(request.args ?? []),
    ],
    env: { HOME: request.home, PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1', PI_TELEMETRY: '0' },
    stdin: request.prompt,
    files: [],
    variableNames: [],
    signInFiles: ['.pi/agent/auth.json', '.pi/agent/models.json', '.pi/agent/settings.json'],
  };
}

/** `--session-id` creates what it does not find, so a resume uses `--session`, which refuses and can fall back visibly (E4). */
function sessionFlag(session: AgentSession | undefined): string[] {
  if (session === undefined) return [];
  return [session.kind === 'start' ? '--session-id' : '--session', session.id];
}

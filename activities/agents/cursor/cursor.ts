import type { AgentAdapter, AgentInvocation, AgentRequest } from '#activities/agents/adapter.ts';
import { CursorEvents } from '#activities/agents/cursor/cursor-events.ts';
import { argumentPrompt, promptFile } from '#activities/agents/prompt-delivery.ts';
import { eventStreamParser } from '#activities/agents/stream/event-stream.ts';

export const cursor: AgentAdapter = {
  name: 'cursor',
  program: 'cursor-agent',
  invoke,
  parser: ({ now }) => eventStreamParser(new CursorEvents(), now),
  probe: {
    versionArguments: ['--version'],
    version: (stdout) => /\d{4}\.\d{2}\.\d{2}\S*|\d+\.\d+\.\d+\S*/.exec(stdout)?.[0],
    signedInBy: { variables: ['CURSOR_API_KEY'], files: ['.config/cursor/auth.json'] },
    install: 'curl https://cursor.com/install -fsS | bash',
    signIn: 'cursor-agent login',
  },
  secretNames: ['CURSOR_API_KEY'],
  reportsUsage: 'none',
  resumable: true,
  takesSessionId: false,
  endsAtTerminalEvent: true,
};

function invoke(request: AgentRequest): AgentInvocation {
  const prompt = argumentPrompt(request.prompt, promptFile(request.home, request.pass));
  return {
    argv: [
      request.executable ?? 'cursor-agent',
      '--print',
      '--output-format',
      'stream-json',
      ...permissions(request),
      ...(request.session?.kind === 'resume' ? [`--resume=${request.session.id}`] : []),
      ...(request.model === undefined ? [] : ['--model', request.model]),
      ...(request.args ?? []),
      '--',
      prompt.argument,
    ],
    env: { HOME: request.home },
    files: prompt.files,
    variableNames: [],
    signInFiles: ['.config/cursor/auth.json', '.cursor/cli-config.json'],
  };
}

function permissions({ mode, contained }: AgentRequest): string[] {
  if (mode === 'read') return ['--mode', 'plan'];
  return ['--force', '--sandbox', contained ? 'disabled' : 'enabled'];
}

import type { AgentAdapter, AgentInvocation, AgentRequest, AgentSession } from '#activities/agents/adapter.ts';
import { GeminiEvents } from '#activities/agents/gemini/gemini-events.ts';
import { eventStreamParser } from '#activities/agents/stream/event-stream.ts';

export const gemini: AgentAdapter = {
  name: 'gemini',
  program: 'gemini',
  invoke,
  parser: ({ now }) => eventStreamParser(new GeminiEvents(), now),
  probe: {
    versionArguments: ['--version'],
    version: (stdout) => /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0],
    signedInBy: { variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], files: ['.gemini/oauth_creds.json'] },
    install: 'npm install -g @google/gemini-cli',
    signIn: 'gemini, then choose a sign-in method (or set GEMINI_API_KEY)',
  },
  secretNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  reportsUsage: 'tokens',
  resumable: true,
  sessionsStay: true,
  takesSessionId: true,
  endsAtTerminalEvent: false,
  // Ten tries over four minutes, and no setting that shortens them for every model.
  triesInVain: /^Attempt (?:[3-9]|\d\d) failed with status (?:429|5\d\d)\b/m,
};

function invoke(request: AgentRequest): AgentInvocation {
  return {
    argv: [
      request.executable ?? 'gemini',
      '--output-format',
      'stream-json',
      '--approval-mode',
      approvalMode(request),
      ...sessionFlag(request.session),
      ...(request.model === undefined ? [] : ['--model', request.model]),
      ...(request.args ?? []),
    ],
    env: { HOME: request.home, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    stdin: request.prompt,
    files: [],
    // With a base address Gemini wants `security.auth.selectedType` in its settings, which are the user's: they are copied.
    variableNames: [
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_GENAI_USE_VERTEXAI',
    ],
    signInFiles: ['.gemini/oauth_creds.json', '.gemini/google_accounts.json', '.gemini/settings.json'],
  };
}

function approvalMode({ mode, contained }: AgentRequest): string {
  if (mode === 'read') return 'plan';
  return contained ? 'yolo' : 'auto_edit';
}

function sessionFlag(session: AgentSession | undefined): string[] {
  if (session === undefined) return [];
  return [session.kind === 'start' ? '--session-id' : '--resume', session.id];
}

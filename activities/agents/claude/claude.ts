import type { AgentAdapter, AgentInvocation, AgentRequest, AgentSession } from '#activities/agents/adapter.ts';
import { ClaudeEvents } from '#activities/agents/claude/claude-events.ts';
import { eventStreamParser } from '#activities/agents/stream/event-stream.ts';

export const claude: AgentAdapter = {
  name: 'claude',
  program: 'claude',
  invoke,
  parser: ({ now }) => eventStreamParser(new ClaudeEvents(), now),
  probe: {
    versionArguments: ['--version'],
    version: (stdout) => /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0],
    signedInBy: {
      variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
      files: ['.claude/.credentials.json'],
    },
    install: 'npm install -g @anthropic-ai/claude-code',
    signIn: 'claude setup-token',
  },
  secretNames: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  reportsUsage: 'cost',
  resumable: true,
  takesSessionId: true,
  endsAtTerminalEvent: false,
};

function invoke(request: AgentRequest): AgentInvocation {
  return {
    // Flags are `--flag=value` and the prompt is on stdin: variadic flags would swallow what follows them.
    argv: [
      request.executable ?? 'claude',
      '-p',
      '--output-format=stream-json',
      '--verbose',
      ...permissions(request),
      ...sessionFlag(request.session),
      ...(request.model === undefined ? [] : [`--model=${request.model}`]),
      ...(request.effort === undefined ? [] : [`--effort=${request.effort}`]),
      ...(request.args ?? []),
    ],
    env: {
      HOME: request.home,
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Its default retries a refused key for more than 100 seconds.
      CLAUDE_CODE_MAX_RETRIES: '2',
      API_TIMEOUT_MS: '600000',
      // As root it refuses to bypass its permissions unless it is told that a sandbox is around it.
      ...(request.contained ? { IS_SANDBOX: '1' } : {}),
    },
    stdin: request.prompt,
    files: [],
    variableNames: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
    signInFiles: ['.claude/.credentials.json', '.claude.json', '.claude/settings.json'],
  };
}

const readOnlyCommands = ['git diff', 'git log', 'git show', 'git status'];

/** Not contained, `acceptEdits` refuses every command that is not listed, the run's own checks included. */
function permissions({ mode, contained, commands = [] }: AgentRequest): string[] {
  if (mode === 'read') {
    const allowed = readOnlyCommands.map((command) => `--allowedTools=Bash(${command}:*)`);
    return ['--permission-mode=plan', ...allowed];
  }
  if (contained) return ['--permission-mode=bypassPermissions'];
  return ['--permission-mode=acceptEdits', ...commands.map((command) => `--allowedTools=Bash(${command})`)];
}

function sessionFlag(session: AgentSession | undefined): string[] {
  if (session === undefined) return [];
  return [session.kind === 'start' ? `--session-id=${session.id}` : `--resume=${session.id}`];
}

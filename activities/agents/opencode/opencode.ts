import { join } from 'node:path';
import type { AgentAdapter, AgentInvocation, AgentRequest } from '#activities/agents/adapter.ts';
import { OpencodeEvents } from '#activities/agents/opencode/opencode-events.ts';
import { eventStreamParser } from '#activities/agents/stream/event-stream.ts';

export const opencode: AgentAdapter = {
  name: 'opencode',
  program: 'opencode',
  invoke,
  parser: ({ now }) => eventStreamParser(new OpencodeEvents(), now),
  probe: {
    versionArguments: ['--version'],
    version: (stdout) => /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0],
    signedInBy: {
      variables: [
        'OPENCODE_CONFIG_CONTENT',
        'ANTHROPIC_API_KEY',
        'OPENAI_API_KEY',
        'OPENROUTER_API_KEY',
        'OPENCODE_API_KEY',
      ],
      files: ['.local/share/opencode/auth.json'],
    },
    install: 'npm install -g opencode-ai',
    signIn: 'opencode auth login',
  },
  secretNames: [
    'OPENCODE_CONFIG_CONTENT',
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'OPENROUTER_API_KEY',
    'OPENCODE_API_KEY',
  ],
  reportsUsage: 'cost',
  resumable: true,
  takesSessionId: false,
  endsAtTerminalEvent: false,
};

function invoke(request: AgentRequest): AgentInvocation {
  return {
    // On stdin the prompt arrives as it is; as an argument OpenCode puts it in quotes.
    argv: [
      request.executable ?? 'opencode',
      'run',
      '--dir',
      request.workspace,
      '--format',
      'json',
      ...permissions(request),
      ...(request.session?.kind === 'resume' ? ['--session', request.session.id] : []),
      ...(request.model === undefined ? [] : ['--model', request.model]),
      ...(request.effort === undefined ? [] : ['--variant', request.effort]),
      ...(request.args ?? []),
    ],
    env: {
      HOME: request.home,
      XDG_DATA_HOME: join(request.home, '.local', 'share'),
      XDG_CONFIG_HOME: join(request.home, '.config'),
      XDG_STATE_HOME: join(request.home, '.local', 'state'),
      XDG_CACHE_HOME: join(request.home, '.cache'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      ...(request.mode === 'read' ? { OPENCODE_PERMISSION: JSON.stringify(readerPermissions) } : {}),
    },
    stdin: request.prompt,
    files: [],
    // The configuration may hold a key.
    variableNames: [],
    signInFiles: [
      '.local/share/opencode/auth.json',
      '.config/opencode/opencode.json',
      '.config/opencode/opencode.jsonc',
    ],
  };
}

/** Its plan agent refuses edits but runs any command, so a reader's commands are named (H3). */
const readerPermissions = {
  edit: 'deny',
  bash: { '*': 'deny', 'git diff*': 'allow', 'git log*': 'allow', 'git show*': 'allow', 'git status*': 'allow' },
};

function permissions({ mode, contained }: AgentRequest): string[] {
  if (mode === 'read') return ['--agent', 'plan'];
  return contained ? ['--auto'] : [];
}

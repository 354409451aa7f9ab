import type { InstalledAgentName } from '#core/agent/agent-name.ts';
import type { AgentAdapter, AgentInvocation, AgentProbe, AgentRequest } from '#activities/agents/adapter.ts';
import { harnessInvocation } from '#activities/agents/custom.ts';
import { textStreamParser } from '#activities/agents/text-stream.ts';

/** Agents that are followed by their text alone: no session, no usage, no terminal event. */
interface TextHarness {
  name: InstalledAgentName;
  prompt: 'stdin' | 'file';
  arguments(request: AgentRequest): string[];
  /** Stands before the prompt's file. */
  promptFlag?: string;
  env?(request: AgentRequest): Record<string, string>;
  secretNames: string[];
  signInFiles: string[];
  probe: AgentProbe;
}

function textHarness(harness: TextHarness): AgentAdapter {
  return {
    name: harness.name,
    program: harness.name,
    invoke: (request): AgentInvocation => {
      const command = [
        harness.name,
        ...harness.arguments(request),
        ...(request.args ?? []),
        ...(harness.promptFlag === undefined ? [] : [harness.promptFlag]),
      ];
      const base = harnessInvocation(harness.name, request, { command, prompt: harness.prompt });
      const { signInFiles } = harness;
      return { ...base, env: { ...base.env, ...harness.env?.(request) }, signInFiles };
    },
    parser: textStreamParser,
    probe: harness.probe,
    secretNames: harness.secretNames,
    reportsUsage: 'none',
    resumable: false,
    takesSessionId: false,
    endsAtTerminalEvent: false,
  };
}

const anyVersion = (stdout: string): string | undefined => /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];

export const amp = textHarness({
  name: 'amp',
  prompt: 'stdin',
  // Amp has no read-only flag: without the bypass it refuses to write or run unasked, and the mount holds (H3).
  arguments: ({ mode }) => ['--execute', ...(mode === 'write' ? ['--dangerously-allow-all'] : [])],
  secretNames: ['AMP_API_KEY'],
  signInFiles: ['.local/share/amp/secrets.json', '.config/amp/settings.json'],
  probe: {
    versionArguments: ['--version'],
    version: anyVersion,
    signedInBy: { variables: ['AMP_API_KEY'], files: ['.local/share/amp/secrets.json'] },
    install: 'npm install -g @sourcegraph/amp',
    signIn: 'amp login',
  },
});

export const goose = textHarness({
  name: 'goose',
  prompt: 'file',
  arguments: ({ model }) => ['run', '--no-session', ...(model === undefined ? [] : ['--model', model])],
  promptFlag: '--instructions',
  env: ({ mode }) => ({ GOOSE_MODE: mode === 'write' ? 'auto' : 'chat' }),
  secretNames: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY'],
  signInFiles: ['.config/goose/config.yaml', '.config/goose/secrets.yaml'],
  probe: {
    versionArguments: ['--version'],
    version: anyVersion,
    signedInBy: { variables: ['GOOSE_PROVIDER'], files: ['.config/goose/config.yaml'] },
    install: 'see the install page of Goose (a release binary)',
    signIn: 'goose configure',
  },
});

export const aider = textHarness({
  name: 'aider',
  prompt: 'file',
  arguments: ({ mode, model }) => [
    '--yes-always',
    '--no-auto-commits',
    '--no-check-update',
    '--no-pretty',
    '--no-stream',
    ...(mode === 'read' ? ['--dry-run', '--chat-mode', 'ask'] : []),
    ...(model === undefined ? [] : ['--model', model]),
  ],
  promptFlag: '--message-file',
  secretNames: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
  signInFiles: ['.aider.conf.yml'],
  probe: {
    versionArguments: ['--version'],
    version: anyVersion,
    signedInBy: {
      variables: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
      files: ['.aider.conf.yml'],
    },
    install: 'python -m pip install aider-install && aider-install',
    signIn: 'set the API key of your model provider',
  },
});

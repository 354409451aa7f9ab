import { join } from 'node:path';
import type { AgentAdapter, AgentInvocation, AgentRequest, AgentSession } from '#activities/agents/adapter.ts';
import { CopilotEvents } from '#activities/agents/copilot/copilot-events.ts';
import { argumentPrompt, promptFile } from '#activities/agents/prompt-delivery.ts';
import { eventStreamParser } from '#activities/agents/stream/event-stream.ts';

const secrets = [
  'COPILOT_GITHUB_TOKEN',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'COPILOT_PROVIDER_API_KEY',
  'COPILOT_PROVIDER_BEARER_TOKEN',
];

export const copilot: AgentAdapter = {
  name: 'copilot',
  program: 'copilot',
  invoke,
  parser: ({ now }) => eventStreamParser(new CopilotEvents(), now),
  probe: {
    versionArguments: ['--version'],
    // "GitHub Copilot CLI 1.0.102." ends its sentence.
    version: (stdout) => /\d+\.\d+\.\d+(?:-[\w.]*\w)?/.exec(stdout)?.[0],
    signedInBy: { variables: secrets, files: ['.copilot/config.json'] },
    install: 'npm install -g @github/copilot',
    signIn: 'copilot login',
  },
  secretNames: secrets,
  reportsUsage: 'none',
  resumable: true,
  takesSessionId: true,
  endsAtTerminalEvent: false,
};

function invoke(request: AgentRequest): AgentInvocation {
  const path = promptFile(request.home, request.pass);
  const prompt = argumentPrompt(request.prompt, path);
  return {
    argv: [
      request.executable ?? 'copilot',
      '--output-format',
      'json',
      '--disable-client-telemetry',
      ...permissions(request),
      ...(prompt.files.length === 0 ? [] : [`--add-dir=${join(request.home, 'prompts')}`]),
      ...sessionFlag(request.session),
      ...(request.model === undefined ? [] : [`--model=${request.model}`]),
      ...(request.args ?? []),
      '-p',
      prompt.argument,
    ],
    env: { HOME: request.home, COPILOT_HOME: join(request.home, '.copilot'), COPILOT_AUTO_UPDATE: 'false' },
    files: prompt.files,
    variableNames: ['COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_TYPE', 'COPILOT_MODEL', 'COPILOT_OFFLINE'],
    signInFiles: ['.copilot/config.json', '.copilot/mcp-config.json'],
  };
}

/** Without a terminal Copilot refuses what it was not allowed beforehand. */
function permissions({ mode, contained, commands = [] }: AgentRequest): string[] {
  if (mode === 'read') return ['--allow-all-tools', '--deny-tool=write', '--deny-tool=shell'];
  if (contained) return ['--allow-all-tools'];
  return ['--allow-tool=write', ...commands.map((command) => `--allow-tool=shell(${command})`)];
}

function sessionFlag(session: AgentSession | undefined): string[] {
  if (session === undefined) return [];
  return [session.kind === 'start' ? `--session-id=${session.id}` : `--resume=${session.id}`];
}

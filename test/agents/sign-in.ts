import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { AgentName } from './installed.ts';

/** Keys that no provider knows; long enough to be redacted (H4). */
export const keys = {
  OPENAI_API_KEY: 'sk-scripted-openai-key',
  ANTHROPIC_API_KEY: 'sk-ant-scripted-key',
  GEMINI_API_KEY: 'AIzaScriptedGeminiKey',
  COPILOT_PROVIDER_API_KEY: 'sk-scripted-copilot-key',
} as const;

/** What a host's environment holds when its user signed in to every agent, each at the scripted model's `url(name)`. */
export function signInVariables(url: (name: AgentName) => string): Record<string, string> {
  return {
    ...keys,
    ANTHROPIC_BASE_URL: url('claude'),
    GOOGLE_GEMINI_BASE_URL: url('gemini'),
    COPILOT_PROVIDER_BASE_URL: `${url('copilot')}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_MODEL: 'scripted',
    COPILOT_OFFLINE: 'true',
  };
}

/** The settings files of the same user, for agents that are pointed elsewhere by a file. */
export async function writeSignInFiles(userHome: string, url: (name: AgentName) => string): Promise<void> {
  for (const [name, content] of Object.entries(settingsFiles(url))) {
    const path = join(userHome, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode: 0o600 });
  }
}

function settingsFiles(url: (name: AgentName) => string): Record<string, string> {
  const model = { id: 'scripted', contextWindow: 128_000, maxTokens: 8000, input: ['text'] };
  return {
    '.codex/config.toml': `model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${url('codex')}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`,
    '.config/opencode/opencode.json': JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      enabled_providers: ['scripted'],
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${url('opencode')}/v1`, apiKey: 'sk-scripted-opencode-key' },
          models: {
            scripted: {
              tool_call: true,
              cost: { input: 2, output: 10, cache_read: 0.5 },
              limit: { context: 200_000, output: 8000 },
            },
          },
        },
      },
    }),
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        scripted: {
          baseUrl: `${url('pi')}/v1`,
          api: 'openai-completions',
          apiKey: '$OPENAI_API_KEY',
          models: [{ ...model, cost: { input: 2, output: 10, cacheRead: 0.5, cacheWrite: 0 } }],
        },
      },
    }),
    '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'scripted', defaultModel: 'scripted' }),
    '.gemini/settings.json': JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
  };
}

import { defineConfig } from 'vitest/config';

const fast = [
  'core/**/*.test.ts',
  'dialects/**/*.test.ts',
  'client/**/*.test.ts',
  'cli/**/*.test.ts',
  'mcp/**/*.test.ts',
  'test/property/**/*.test.ts',
  'test/spec/**/*.test.ts',
  'test/doctor/**/*.test.ts',
];
const real = [
  'infra/**/*.test.ts',
  'activities/**/*.test.ts',
  'api/**/*.test.ts',
  'workers/**/*.test.ts',
  'test/workflow/**/*.test.ts',
  'test/replay/**/*.test.ts',
  'test/fakes/**/*.test.ts',
  'test/integration/**/*.test.ts',
];
const e2e = ['test/e2e/**/*.test.ts', 'test/faults/**/*.test.ts'];
const globalSetup = ['test/integration/global-setup.ts'];
const resolve = { conditions: ['source'] };

export default defineConfig({
  resolve,
  ssr: { resolve },
  test: {
    // The condition `source` is ours, and a dependency of the MCP client has one, too: in TypeScript, so it is transformed.
    server: { deps: { inline: [/@modelcontextprotocol\/client/, /eventsource/] } },
    projects: [
      { extends: true, test: { name: 'fast', include: fast, testTimeout: 30_000 } },
      {
        extends: true,
        test: { name: 'real', include: real, globalSetup, testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: e2e,
          globalSetup,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});

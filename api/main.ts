import { config } from '#infra/config.ts';
import { createLogger } from '#infra/log.ts';
import { createApp } from '#api/app.ts';
import { openParts } from '#api/parts.ts';
import { listen } from '#api/server.ts';

const log = createLogger('api');

/** The API as a process of its own: `node dist/api/main.js`. Ends on SIGTERM and SIGINT. */
async function main(): Promise<void> {
  const { parts, close } = await openParts(config());
  const server = await listen(createApp(parts), { port: config().port });
  log.info({ url: server.url }, 'the API listens');
  // Warms the connection, so that the first run does not pay for it.
  void parts.engine.isReachable();
  const end = async (): Promise<void> => {
    await server.close();
    await close();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      end().catch(fail);
    });
  }
}

function fail(error: unknown): void {
  log.fatal({ err: error }, error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
  process.exit();
}

main().catch(fail);

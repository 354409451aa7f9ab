import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type History, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { config, hostEnvironment } from '#infra/config.ts';
import { freePort } from '#infra/stack/free-port.ts';
import { startTemporal } from '#infra/stack/temporal-server.ts';
import { openStage, type Stage } from '../workflow/harness.ts';
import { historyFiles, historyName } from './history-files.ts';
import { recordings } from './scenarios.ts';

export interface RecordOptions {
  /** Where the histories lie. */
  folder: string;
  /** The built workflow bundle. */
  bundlePath: string;
  /** Record again what is there already. Only for histories that no released version has left behind. */
  renew: boolean;
  /** Told of each scenario, one line. */
  tell: (line: string) => void;
}

/** Plays every scenario that has no history yet on a real server and writes what the server kept of it. */
export async function recordHistories({ folder, bundlePath, renew, tell }: RecordOptions): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const server = await startServer();
  try {
    const stage = await openStage({ address: server.address, bundle: { codePath: bundlePath } });
    try {
      for (const [name, recording] of Object.entries(recordings)) {
        const written = await record({ stage, folder, renew }, name, recording);
        tell(written === 0 ? `${name}: kept` : `${name}: ${written} recorded`);
      }
      const written = await record({ stage, folder, renew }, 'cleanup', () => stage.cleanUp());
      tell(written === 0 ? 'cleanup: kept' : `cleanup: ${written} recorded`);
    } finally {
      await stage.close();
    }
  } finally {
    await server.stop();
  }
}

async function record(
  { stage, folder, renew }: { stage: Stage; folder: string; renew: boolean },
  name: string,
  recording: (play: Stage['play']) => Promise<{ histories: History[] }>,
): Promise<number> {
  if (existsSync(join(folder, `${historyName(name, 1)}.json`)) && !renew) return 0;
  for (const old of historyFiles(folder)) {
    if (old.name.startsWith(`${name}.`)) rmSync(join(folder, `${old.name}.json`));
  }
  const { histories } = await recording((scenario) => stage.play(scenario));
  histories.forEach((history, index) => {
    writeFileSync(join(folder, `${historyName(name, index + 1)}.json`), `${textOf(history)}\n`);
  });
  return histories.length;
}

/** A replay needs no stack traces, and they name files of the machine that recorded them. */
function textOf(history: History): string {
  const withoutStacks = (key: string, value: unknown) => (key === 'stackTrace' ? undefined : value);
  const text = JSON.stringify(JSON.parse(historyToJSON(history), withoutStacks), null, 1);
  for (const trace of [process.cwd(), hostname()]) {
    if (text.includes(trace)) throw new TypeError(`the history names this machine: ${trace}`);
  }
  return text;
}

async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'setpoint-record-'));
  const searchPath = hostEnvironment()['PATH'] ?? '';
  const { temporalCli, cacheFolder } = config();
  const server = await startTemporal({
    folder,
    port: await freePort(),
    namespace: 'default',
    searchPath,
    find: { given: temporalCli, cacheFolder, searchPath, onTry: () => undefined },
    logFile: join(folder, 'temporal.log'),
  });
  return {
    address: server.address,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

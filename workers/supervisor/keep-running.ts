import { type ProcessState, StackFault, type StackProcess, type StackRole } from '#core/contract/stack.ts';
import type { Logger } from '#infra/log.ts';
import { type ProcessSpec, spawnDetached } from '#infra/stack/detached-process.ts';
import { ending } from '#infra/stack/ending.ts';
import { freshLogFile, logTail } from '#infra/stack/home-layout.ts';
import { awaitEnd, endProcess, identify, type ProcessIdentity } from '#infra/stack/process-identity.ts';

/** One process of the stack that is to run all the time. */
export interface Service {
  role: StackRole;
  /** Before each start: what to spawn. May take its time (fetching, making a database). */
  prepare(): Promise<ProcessSpec>;
  /** Settles when this process does its work; rejects when `signal` aborts. */
  ready(process: ProcessIdentity, signal: AbortSignal): Promise<void>;
}

export interface KeepOptions {
  home: string;
  /** A process of this role that an earlier supervisor left: kept when it is ready soon, else ended and replaced. */
  adopt: ProcessIdentity | undefined;
  report: (entry: StackProcess) => void;
  log: Logger;
}

export interface KeptProcess {
  /** Settles at the first readiness; rejects when that cannot be had. Later deaths are mended without end. */
  firstReady: Promise<void>;
  /** Ends the process (SIGKILL after its grace time) and the keeping. */
  stop(): Promise<void>;
}

const readyLimitMs = 60_000;
const adoptLimitMs = 5_000;
/** A process that was ready for so long did not die of its start: its next start is at once. */
const steadyMs = 30_000;
const startsBeforeGivingUp = 3;

/** Milliseconds before the start that follows the n-th failure in a row: 100, 200, 400 … 10,000. */
export function backoffMs(failures: number): number {
  return Math.min(100 * 2 ** (failures - 1), 10_000);
}

/** Starts (or adopts) a process and starts it again whenever it dies, with backoff, until it is stopped. */
export function keepRunning(service: Service, options: KeepOptions): KeptProcess {
  const keeper = new Keeper(service, options);
  const keeping = keeper.keep();
  return { firstReady: keeper.firstReady, stop: () => keeper.stop(keeping) };
}

class Keeper {
  readonly firstReady: Promise<void>;
  readonly #service: Service;
  readonly #options: KeepOptions;
  readonly #stopping = new AbortController();
  /** One for all lives: a listener a restart would pile up. */
  readonly #stopped = whenAborted(this.#stopping.signal);
  #current: ProcessIdentity | undefined;
  #wasReady = false;
  #settleFirst: { resolve: () => void; reject: (reason: StackFault) => void } = { resolve: ignore, reject: ignore };

  constructor(service: Service, options: KeepOptions) {
    this.#service = service;
    this.#options = options;
    this.firstReady = new Promise((resolve, reject) => {
      this.#settleFirst = { resolve, reject };
    });
    // Who waits for it sees the fault; that nobody waits must not end the supervisor.
    this.firstReady.catch(() => undefined);
  }

  async keep(): Promise<void> {
    const { home, log } = this.#options;
    const { role } = this.#service;
    let adopted = this.#options.adopt;
    for (let failures = 0; !this.#isStopping(); adopted = undefined) {
      const readyMs = await this.#oneLife(adopted);
      if (this.#isStopping()) return;
      failures = readyMs > steadyMs ? 1 : failures + 1;
      if (!this.#wasReady && failures >= startsBeforeGivingUp) this.#settleFirst.reject(gaveUp(home, role));
      this.#report('restarting');
      log.warn({ role, failures, waitMs: backoffMs(failures) }, `${role} is gone; it is started again`);
      await pause(backoffMs(failures), this.#stopped);
    }
  }

  async stop(keeping: Promise<void>): Promise<void> {
    this.#stopping.abort();
    await keeping;
    if (this.#current !== undefined) await endProcess(this.#current, ending[this.#service.role]);
    this.#current = undefined;
    this.#report('stopped');
  }

  /** One life of the process, whatever ends it; for how many milliseconds it was ready. */
  async #oneLife(adopted: ProcessIdentity | undefined): Promise<number> {
    const { role } = this.#service;
    try {
      return await this.#live(adopted);
    } catch (error) {
      if (!this.#isStopping()) this.#options.log.warn({ role, err: error }, `${role} did not get ready`);
      const isFinal = error instanceof StackFault && error.code !== 'stack/not-ready' && !this.#wasReady;
      if (isFinal) this.#settleFirst.reject(error);
      return 0;
    } finally {
      if (!this.#isStopping() && this.#current !== undefined) {
        // It may live still and not get ready. Its successor needs its port.
        await endProcess(this.#current, ending[role]);
        this.#current = undefined;
      }
    }
  }

  async #live(adopted: ProcessIdentity | undefined): Promise<number> {
    const { role } = this.#service;
    const { identity, ended } = adopted === undefined ? await this.#start() : watch(adopted, this.#stopping.signal);
    if (identity === undefined) return 0;
    this.#current = identity;
    this.#report('starting');
    const gone = new AbortController();
    void ended.then(() => gone.abort(new StackFault('stack/not-ready', `${role} ended before it was ready`)));
    const limit = AbortSignal.timeout(adopted === undefined ? readyLimitMs : adoptLimitMs);
    await this.#service.ready(identity, AbortSignal.any([this.#stopping.signal, gone.signal, limit]));
    const readyAt = performance.now();
    this.#wasReady = true;
    this.#report('running');
    const how = adopted === undefined ? 'is ready' : 'is ready (adopted)';
    this.#options.log.info({ role, pid: identity.pid, progress: true }, `${role} ${how}`);
    this.#settleFirst.resolve();
    await Promise.race([ended, this.#stopped]);
    return performance.now() - readyAt;
  }

  async #start(): Promise<Running> {
    const { role } = this.#service;
    const spec = await this.#service.prepare();
    this.#stopping.signal.throwIfAborted();
    const child = await spawnDetached(spec, freshLogFile(this.#options.home, role));
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    const ended = hasEnded ? Promise.resolve() : new Promise<void>((resolve) => child.once('exit', () => resolve()));
    // Not unref'd: its children are what keeps a supervisor alive.
    return { identity: identify(child.pid), ended };
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #report(state: ProcessState): void {
    const { pid = null, startMark = null } = this.#current ?? {};
    this.#options.report({ role: this.#service.role, pid, startMark, state, since: new Date().toISOString() });
  }
}

/** Until the promise that it settles is made. */
function ignore(): void {}

interface Running {
  identity: ProcessIdentity | undefined;
  ended: Promise<void>;
}

function watch(identity: ProcessIdentity, signal: AbortSignal): Running {
  return { identity, ended: awaitEnd(identity, signal) };
}

function gaveUp(home: string, role: StackRole): StackFault {
  const message = `${role} ended ${startsBeforeGivingUp} times before it was ready. The end of its log:\n${logTail(home, role)}`;
  return new StackFault('stack/not-ready', message);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function pause(ms: number, stopped: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([new Promise((resolve) => (timer = setTimeout(resolve, ms))), stopped]);
  clearTimeout(timer);
}

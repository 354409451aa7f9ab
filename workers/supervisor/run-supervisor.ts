import { type Stack, StackFault, type StackProcess, type StackRole } from '#core/contract/stack.ts';
import type { Config } from '#infra/config.ts';
import type { Logger } from '#infra/log.ts';
import { ending, endingOrder } from '#infra/stack/ending.ts';
import { ensureHome } from '#infra/stack/home-layout.ts';
import { type HomeLock, lockHome } from '#infra/stack/home-lock.ts';
import { endProcess, identify } from '#infra/stack/process-identity.ts';
import { livingProcess, readStack, writeStack } from '#infra/stack/stack-file.ts';
import { awaitExternal } from '#workers/supervisor/external-servers.ts';
import { type KeptProcess, keepRunning, type Service } from '#workers/supervisor/keep-running.ts';
import type { Programs } from '#workers/supervisor/programs.ts';
import { apiService, postgresService, temporalService, workerService } from '#workers/supervisor/services.ts';
import { adoptable, plannedStack, planStack, type StackPlan } from '#workers/supervisor/stack-plan.ts';

export interface SupervisorOptions {
  config: Config;
  programs: Programs;
  /** Aborted when the stack is to end. */
  signal: AbortSignal;
  log: Logger;
}

/**
 * Runs the stack of a home until `signal` aborts or somebody removes the home, then ends it. Settles at once with `taken` when another supervisor has
 * the home. What a killed supervisor left is adopted when it still serves, else ended. Faults: whatever keeps a process
 * from its first readiness; everything is ended then.
 */
export async function runSupervisor(options: SupervisorOptions): Promise<'ended' | 'taken'> {
  const { home } = options.config;
  ensureHome(home);
  const lock = lockHome(home);
  if ('owner' in lock) {
    options.log.info({ owner: lock.owner.pid }, 'another supervisor has this home');
    return 'taken';
  }
  try {
    await runStack(options, lock);
    return 'ended';
  } finally {
    lock.release();
  }
}

async function runStack({ config, programs, signal: asked, log }: SupervisorOptions, lock: HomeLock): Promise<void> {
  const self = identify(process.pid);
  if (self === undefined)
    throw new StackFault('stack/not-ready', 'The supervisor does not find itself in the process table.');
  const last = readStack(config.home);
  const plan = await planStack(config, last);
  await endUnadoptable(plan, last);
  const record = new StackRecord(plannedStack(plan, self, last), lock);
  const signal = AbortSignal.any([asked, whenRemoved(lock, log)]);
  const kept = new Map<StackRole, KeptProcess>();
  const keep = (service: Service): Promise<void> => {
    const { role } = service;
    const adopt = adoptable(plan, last, role);
    const report = (entry: StackProcess) => record.set(entry);
    const process = keepRunning(service, { home: plan.home, adopt, report, log });
    kept.set(role, process);
    return process.firstReady;
  };
  try {
    await Promise.race([startAll({ plan, config, programs, log, record, keep }), whenAborted(signal)]);
    if (!signal.aborted) {
      record.set({ role: 'supervisor', ...self, state: 'running', since: new Date().toISOString() });
      log.info({ url: plan.url, progress: true }, `the stack is ready at ${plan.url}`);
      await whenAborted(signal);
    }
  } finally {
    for (const group of endingOrder) {
      await Promise.all(group.map(async (role) => kept.get(role)?.stop() ?? record.endUnkept(role)));
    }
    record.set({ role: 'supervisor', pid: null, startMark: null, state: 'stopped', since: new Date().toISOString() });
  }
}

interface StartContext {
  plan: StackPlan;
  config: Config;
  programs: Programs;
  log: Logger;
  record: StackRecord;
  keep: (service: Service) => Promise<void>;
}

/** The two servers side by side, ours or those of the settings, then the three processes that need both. */
async function startAll({ plan, config, programs, log, record, keep }: StartContext): Promise<void> {
  const servers = [
    temporalService(plan, config, log),
    postgresService(plan, (folder) => record.setDatabaseFolder(folder)),
  ];
  await Promise.all([awaitExternal(plan), ...servers.filter(({ role }) => !plan.external.includes(role)).map(keep)]);
  const ours = [
    apiService(plan, programs.api),
    workerService(plan, 'control', programs.control),
    workerService(plan, 'host', programs.host),
  ];
  await Promise.all(ours.map(keep));
}

/** A leftover of other addresses, or of a role that is external now. */
async function endUnadoptable(plan: StackPlan, last: Stack | undefined): Promise<void> {
  for (const group of endingOrder) {
    await Promise.all(
      group.map(async (role) => {
        const leftover = livingProcess(last, role);
        if (leftover !== undefined && adoptable(plan, last, role) === undefined)
          await endProcess(leftover, ending[role]);
      }),
    );
  }
}

/** stack.json while we run: every change is on disk before anything else happens, so that a successor finds every process. */
class StackRecord {
  readonly #lock: HomeLock;
  #stack: Stack;

  #write(): void {
    // A home that was removed under us may be another's by now. What is left to do then is to end.
    if (this.#lock.isHeld()) writeStack(this.#stack);
  }

  constructor(stack: Stack, lock: HomeLock) {
    this.#stack = stack;
    this.#lock = lock;
    writeStack(stack);
  }

  set(entry: StackProcess): void {
    const processes = this.#stack.processes.map((process) => (process.role === entry.role ? entry : process));
    this.#stack = { ...this.#stack, processes };
    this.#write();
  }

  /** Ends what was to be adopted and was not, because we end before its turn came. */
  async endUnkept(role: StackRole): Promise<void> {
    const leftover = livingProcess(this.#stack, role);
    if (leftover !== undefined) await endProcess(leftover, ending[role]);
  }

  setDatabaseFolder(databaseFolder: string): void {
    this.#stack = { ...this.#stack, kept: { ...this.#stack.kept, databaseFolder } };
    this.#write();
  }
}

/** Aborts when our lock is gone: a person removed the home, and its processes would serve nobody for ever. */
function whenRemoved(lock: HomeLock, log: Logger): AbortSignal {
  const removed = new AbortController();
  const timer = setInterval(() => {
    if (lock.isHeld()) return;
    log.warn('the home was removed; its stack ends');
    clearInterval(timer);
    removed.abort();
  }, 1_000);
  timer.unref();
  return removed.signal;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

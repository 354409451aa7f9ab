import { EventEmitter, once } from 'node:events';
import { Context } from '@temporalio/activity';
import type {
  Activities,
  AttemptInput,
  ControlActivities,
  HostActivities,
  PlacementActivities,
  Recorded,
  RecordInput,
} from '#core/contract/activities.ts';
import type { WorkKey } from '#core/contract/work-key.ts';
import type { StoredEvent } from '#core/run/event.ts';
import type { RunSummary } from '#core/run/summary.ts';
import { judgedAs, textOf, worked, workspaceAt } from './outcomes.ts';

/** `call` counts the calls of that activity in this run, from 1. What a script leaves out goes well. */
export type Script = {
  [Name in Exclude<keyof Activities, 'recordEvents'>]?: (
    input: Parameters<Activities[Name]>[0],
    call: number,
  ) => ReturnType<Activities[Name]> | Awaited<ReturnType<Activities[Name]>>;
} & {
  /** Asked before the batch is stored; anything but `recorded` leaves it unstored. */
  recordEvents?: (input: RecordInput, call: number) => Recorded;
};

export interface Call {
  name: keyof Activities;
  input: unknown;
}

/** The world of one run: its scripted activities, what they were asked, and the record in the order in which it came. */
export class World {
  readonly calls: Call[] = [];
  readonly recorded: StoredEvent[] = [];
  readonly summaries: RunSummary[] = [];
  readonly #script: Script;
  readonly #hostQueue: string;
  readonly #news = new EventEmitter().setMaxListeners(0);

  constructor(script: Script, hostQueue: string) {
    this.#script = script;
    this.#hostQueue = hostQueue;
  }

  inputsOf<Name extends keyof Activities>(name: Name): Parameters<Activities[Name]>[0][] {
    return this.calls.filter((call) => call.name === name).map(({ input }) => input as Parameters<Activities[Name]>[0]);
  }

  /** Resolves once `holds`; asked again whenever something was called or recorded. */
  async until(holds: (world: World) => boolean): Promise<void> {
    while (!holds(this)) await once(this.#news, 'news');
  }

  /** Resolves once activity `name` was called `count` times. */
  called(name: keyof Activities, count = 1): Promise<void> {
    return this.until((world) => world.inputsOf(name).length >= count);
  }

  async answer<Name extends Exclude<keyof Activities, 'recordEvents'>>(
    name: Name,
    input: Parameters<Activities[Name]>[0],
    otherwise: (call: number) => Awaited<ReturnType<Activities[Name]>>,
  ): Promise<Awaited<ReturnType<Activities[Name]>>> {
    const call = this.#note(name, input);
    const scripted = this.#script[name];
    if (scripted === undefined) return otherwise(call);
    return (await scripted(input as never, call)) as Awaited<ReturnType<Activities[Name]>>;
  }

  openWorkspace(input: Parameters<PlacementActivities['openWorkspace']>[0]) {
    return this.answer('openWorkspace', input, () => workspaceAt(this.#hostQueue));
  }

  record(input: RecordInput): Recorded {
    const call = this.#note('recordEvents', input);
    const answer = this.#script.recordEvents?.(input, call) ?? 'recorded';
    if (answer !== 'recorded') return answer;
    const last = this.recorded.at(-1)?.seq ?? 0;
    this.recorded.push(...input.events.filter(({ seq }) => seq > last));
    this.summaries.push(input.summary);
    this.#news.emit('news');
    return 'recorded';
  }

  #note(name: keyof Activities, input: unknown): number {
    this.calls.push({ name, input });
    this.#news.emit('news');
    return this.inputsOf(name).length;
  }
}

export interface ScriptedActivities {
  control: ControlActivities;
  placement: PlacementActivities;
  host: HostActivities;
}

/** The activities of every run that is played, each in its own world. */
export function scriptedActivities(worldOf: (runId: string) => World): ScriptedActivities {
  return {
    control: {
      recordEvents: async (input) => worldOf(input.runId).record(input),
      recoverAttempt: (key: WorkKey) => {
        const lost = { kind: 'lost' as const, spend: { usd: 0.1, estimated: true, inputTokens: 1, outputTokens: 1 } };
        return worldOf(key.runId).answer('recoverAttempt', key, () => lost);
      },
      expand: (input) => worldOf(input.runId).answer('expand', input, () => ['one', 'two']),
      startChild: (input) => {
        const { runId, step, pass, index } = input.parent;
        return worldOf(runId).answer('startChild', input, () => ({ runId: `child_${step}_${pass}_${index}` }));
      },
      collect: (input) => worldOf(input.runId).answer('collect', input, () => ({ output: textOf('all') })),
      cancelChild: (input) => worldOf(input.parentId).answer('cancelChild', input, () => undefined),
    },
    placement: { openWorkspace: (input) => worldOf(input.runId).openWorkspace(input) },
    host: {
      attempt: (input: AttemptInput) => worldOf(input.key.runId).answer('attempt', input, (call) => worked(call)),
      judge: (input) => worldOf(input.runId).answer('judge', input, () => judgedAs('pass', input)),
      review: (input) =>
        worldOf(input.runId).answer('review', input, () => ({
          verdict: { kind: 'pass', evidence: { summary: 'reviewed', durationMs: 1 }, findings: [] },
          fingerprint: 'reviewed',
          spend: { usd: 0.1, estimated: false, inputTokens: 1, outputTokens: 1 },
        })),
      openTask: (input) =>
        worldOf(input.runId).answer('openTask', input, () => ({ ask: { text: input.person.ask }, shown: [] })),
      keepFiles: (input) => worldOf(input.runId).answer('keepFiles', input, () => ({ files: 1 })),
      evaluate: (input) => worldOf(input.runId).answer('evaluate', input, () => ({ kind: 'met', actual: '0' })),
      cleanupWorkspace: (input) =>
        worldOf(input.runId).answer('cleanupWorkspace', input, () => ({ kind: 'not_ended' })),
      deliver: (input) =>
        worldOf(input.runId).answer('deliver', input, () => ({
          mode: input.delivery.mode,
          nothingToDeliver: false,
          commit: input.verified.commit,
          branch: `setpoint/${input.runId}`,
        })),
    },
  };
}

const beatMs = 20;

/** In a scripted activity: works until the engine asks it to end, then throws what the SDK throws. */
export async function untilCancelled(onCancelled: () => void = () => undefined): Promise<never> {
  const context = Context.current();
  const beating = setInterval(() => context.heartbeat(), beatMs);
  try {
    return await context.cancelled;
  } finally {
    clearInterval(beating);
    onCancelled();
  }
}

/** A door that a test opens: scripted activities wait at it. */
export function door(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

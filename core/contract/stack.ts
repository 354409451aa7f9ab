import { z } from 'zod';

/** The processes of the embedded stack, in the order in which `status` shows them. */
export const StackRole = z.enum(['supervisor', 'temporal', 'postgres', 'api', 'control', 'host']);
export type StackRole = z.infer<typeof StackRole>;

/**
 * `starting`: spawned, not ready yet. `running`: answered its readiness check. `restarting`: died, waits for its backoff.
 * `stopped`: ended on request. `external`: not ours, reached by an address from the settings.
 */
export const ProcessState = z.enum(['starting', 'running', 'restarting', 'stopped', 'external']);
export type ProcessState = z.infer<typeof ProcessState>;

export const StackProcess = z.object({
  role: StackRole,
  /** Null while no process stands behind the role. */
  pid: z.int().positive().nullable(),
  /** Tells this process from a later one with the same pid; opaque. Null with `pid`. */
  startMark: z.string().nullable(),
  state: ProcessState,
  /** ISO time of the last change of `state`. */
  since: z.iso.datetime(),
});
export type StackProcess = z.infer<typeof StackProcess>;

/** A process as `status` shows it. `gone`: by the file it should live, and does not. */
export const SeenProcess = StackProcess.omit({ startMark: true }).extend({
  state: z.enum([...ProcessState.options, 'gone']),
});
export type SeenProcess = z.infer<typeof SeenProcess>;

/**
 * `$SETPOINT_HOME/stack.json` (mode 600, written atomically by the supervisor, also after `down`).
 * The stack is up when the `supervisor` entry's process lives and every entry is `running` or `external`;
 * a reader that only has the file asks `GET {url}/healthz`.
 */
export const Stack = z.object({
  version: z.literal(1),
  url: z.url(),
  home: z.string(),
  /** Holds the bearer token of the API, without a line end; mode 600. */
  tokenFile: z.string(),
  temporalAddress: z.string(),
  temporalNamespace: z.string(),
  /** Contains the password. */
  databaseUrl: z.string(),
  processes: z.array(StackProcess),
  /** What the next start uses again; readers have no need of it. */
  kept: z.object({
    ports: z.object({ api: z.int(), temporal: z.int(), postgres: z.int() }),
    databasePassword: z.string(),
    /** Null until a database was made. Outside `home` when the database's account cannot reach `home`. */
    databaseFolder: z.string().nullable(),
  }),
});
export type Stack = z.infer<typeof Stack>;

/** One line of `node dist/workers/stack.js up|down|status --json`. */
export const StackMessage = z.discriminatedUnion('event', [
  z.object({ event: z.literal('progress'), message: z.string() }),
  z.object({ event: z.literal('ready'), url: z.url(), home: z.string(), tokenFile: z.string() }),
  z.object({ event: z.literal('stopped'), home: z.string() }),
  z.object({
    event: z.literal('status'),
    up: z.boolean(),
    url: z.string().nullable(),
    home: z.string(),
    processes: z.array(SeenProcess),
  }),
  z.object({
    event: z.literal('settings'),
    settings: z.array(z.object({ name: z.string(), value: z.string(), source: z.string() })),
  }),
  z.object({ event: z.literal('error'), code: z.string(), message: z.string() }),
]);
export type StackMessage = z.infer<typeof StackMessage>;

/** Why the embedded stack cannot be what was asked for. Closed, as the faults of a run are; no run ever sees one. */
export const stackFaultCodes = [
  'stack/usage',
  'stack/settings-invalid',
  'stack/temporal-unavailable',
  'stack/postgres-unavailable',
  'stack/not-ready',
  'stack/state-unreadable',
] as const;
export type StackFaultCode = (typeof stackFaultCodes)[number];

/** Thrown by `infra/config.ts` and `infra/stack/`; the message names the cause and the remedy. */
export class StackFault extends Error {
  override readonly name = 'StackFault';
  readonly code: StackFaultCode;
  constructor(code: StackFaultCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}

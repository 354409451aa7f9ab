/** What the model does in one start of an agent: commands one after the other, then its final answer. */
export interface Start {
  commands?: readonly string[];
  finalText?: string;
  /** Instead of an answer. */
  failure?: Failure;
}

export type Failure =
  | { kind: 'status'; status: number; type: string; message: string; headers?: Record<string, string>; times?: number }
  /** The request is never answered. */
  | { kind: 'hang' }
  /** The stream begins and is cut. */
  | { kind: 'cut' };

const verdict = (passed: boolean): string =>
  JSON.stringify({
    passed,
    summary: passed ? 'as asked' : 'one finding',
    blockingFindings: passed ? [] : [{ criterion: 'tested', evidence: 'no test for it' }],
    advisories: [],
    evidence: [],
  });

const refusals = {
  e400: { status: 400, type: 'invalid_request_error', message: 'scripted bad request' },
  e401: { status: 401, type: 'authentication_error', message: 'scripted invalid api key' },
  e403: { status: 403, type: 'permission_error', message: 'scripted forbidden' },
  e404: { status: 404, type: 'not_found_error', message: 'scripted model not found' },
  e429: { status: 429, type: 'rate_limit_error', message: 'scripted rate limit', headers: { 'retry-after': '1' } },
  'e429-reset': {
    status: 429,
    type: 'rate_limit_error',
    message: "You've hit your limit · resets 11:30pm (Europe/Berlin)",
  },
  e500: { status: 500, type: 'api_error', message: 'scripted server error' },
  e529: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
} as const;

/** Every start of these does the same, so one server serves many runs. */
const fixed: Readonly<Record<string, Start>> = {
  ok: { commands: ["printf 'hello from the scripted model\\n' > hello.txt"], finalText: 'Done: wrote hello.txt.' },
  text: { finalText: 'Just text, no tool.' },
  'verdict-pass': { finalText: verdict(true) },
  'verdict-fail': { finalText: verdict(false) },
  hang: { failure: { kind: 'hang' } },
  cut: { failure: { kind: 'cut' } },
  ...Object.fromEntries(
    Object.entries(refusals).map(([name, refusal]) => [name, { failure: { kind: 'status', ...refusal } }] as const),
  ),
};

/** Scenarios without state. `cmd-<hex>` runs the command written in hexadecimal. */
export function fixedScenario(name: string): Start | undefined {
  if (!name.startsWith('cmd-')) return Object.hasOwn(fixed, name) ? fixed[name] : undefined;
  const command = Buffer.from(name.slice('cmd-'.length), 'hex').toString('utf8');
  return { commands: [command], finalText: 'Done: ran the command.' };
}

/**
 * A scenario whose n-th start of an agent does a different thing; the last one repeats.
 * A start is a request without tool results that comes after something was answered:
 * so a client's own retry of a refused request is still the same start.
 */
export class StagedScenario {
  readonly #starts: readonly Start[];
  #index = 0;
  #answered = false;
  #refused = 0;

  constructor(starts: readonly Start[]) {
    this.#starts = starts;
  }

  /** The start that a request belongs to, and 1 for the first. */
  next(results: number): { start: Start; number: number } {
    if (results === 0 && this.#answered) this.#advance();
    const start = this.#current();
    const { failure } = start;
    if (failure?.kind !== 'status') this.#answered = true;
    else {
      this.#refused += 1;
      this.#answered = this.#refused >= (failure.times ?? 1);
    }
    return { start, number: this.#index + 1 };
  }

  /** How many starts of the agent have been seen. */
  get starts(): number {
    return this.#answered || this.#refused > 0 ? this.#index + 1 : this.#index;
  }

  #advance(): void {
    this.#index += 1;
    this.#answered = false;
    this.#refused = 0;
  }

  #current(): Start {
    return this.#starts[Math.min(this.#index, this.#starts.length - 1)] ?? {};
  }
}

import type { RunOutcome } from '#core/contract/http.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { StoredEvent } from '#core/run/event.ts';

import { eventLines } from '#cli/render/event-lines.ts';
import type { Line } from '#cli/render/line.ts';
import { liveLines } from '#cli/render/live-lines.ts';
import { advance, newProgress } from '#cli/render/progress.ts';
import type { LiveArea, Terminal } from '#cli/terminal.ts';

/** Shows a run while it is followed. */
export interface Reporter {
  event(stored: StoredEvent): void;
  /** A line beside the events: connection lost, how to come back. */
  note: (line: Line) => void;
  /** Ends the showing: `closing` is for people, `outcome` for programs. */
  end(outcome: RunOutcome, closing: readonly Line[]): void;
  /** Ends the showing without an outcome. */
  close(): void;
}

export interface Showing {
  json: boolean;
  quiet: boolean;
}

/** `--json`: events on stdout. A person's terminal: live. Else plain lines on stderr and the outcome on stdout (T-26). `planOf` is asked for live only. */
export async function createReporter(
  terminal: Terminal,
  showing: Showing,
  planOf: () => Promise<Pick<Plan, 'steps'>>,
): Promise<Reporter> {
  if (showing.json) return jsonReporter(terminal, showing);
  if (terminal.interactive && !showing.quiet) {
    const [area, plan] = await Promise.all([terminal.live(), planOf()]);
    return liveReporter(terminal, area, plan);
  }
  return lineReporter(terminal, showing);
}

function jsonReporter(terminal: Terminal, showing: Showing): Reporter {
  return {
    event: ({ seq, event }) => {
      if (!showing.quiet) terminal.out(JSON.stringify({ seq, ...event }));
    },
    note: (line) => {
      if (!showing.quiet) terminal.err(line.text);
    },
    end: (outcome) => terminal.out(JSON.stringify(outcome)),
    close: () => undefined,
  };
}

function lineReporter(terminal: Terminal, showing: Showing): Reporter {
  const note = (line: Line): void => {
    if (!showing.quiet) terminal.err(line.text);
  };
  return {
    event: ({ event }) => {
      for (const line of eventLines(event)) note(line);
    },
    note,
    end: (outcome, closing) => {
      if (terminal.interactive) for (const line of closing) terminal.out(terminal.paint(line.tone, line.text));
      else terminal.out(JSON.stringify(outcome));
    },
    close: () => undefined,
  };
}

const redrawMs = 100;

function liveReporter(terminal: Terminal, area: LiveArea, plan: Pick<Plan, 'steps'>): Reporter {
  const progress = newProgress(plan);
  const draw = (): void => area.draw(liveLines(progress, Date.now(), terminal.paint));
  const timer = setInterval(draw, redrawMs);
  const close = (): void => {
    clearInterval(timer);
    area.close();
  };
  const note = (line: Line): void => area.above(terminal.paint(line.tone, line.text));
  return {
    event: ({ event }) => {
      advance(progress, event);
      for (const line of eventLines(event)) note(line);
      draw();
    },
    note,
    end: (_outcome, closing) => {
      close();
      for (const line of closing) terminal.out(terminal.paint(line.tone, line.text));
    },
    close,
  };
}

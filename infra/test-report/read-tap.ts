import { Parser, type Result } from 'tap-parser';
import type { TestReport } from '#core/check/test-report.ts';

/** Where a TAP stream begins in an output: its version, or its plan before the first test. */
const begins = /^(?:TAP version \d+|1\.\.\d+(?: .*)?)$/m;
const testPoint = /^(?:ok|not ok)\b/m;

/** Whether a text that may hold other words beside it is TAP. */
export function isTap(text: string): boolean {
  return /^TAP version \d+$/m.test(text) || (begins.test(text) && testPoint.test(text));
}

/** Nothing else of the host goes on meanwhile: a third of the shortest heartbeat. */
const mostMs = 5_000;

/**
 * The tests of a TAP stream, those inside of others too; one that only sums up its own is not counted twice. `todo` proves
 * no more than a skip. A stream that was cut off, or that bailed out, has failed besides. Undefined for one that takes too long:
 * tests inside of tests cost more with each level, and whoever works writes as many levels as it likes.
 */
export function readTap(text: string, limitMs: number = mostMs): TestReport | undefined {
  const report = { format: 'TAP', ran: 0, failed: 0, skipped: 0, failing: [] as string[] };
  const fail = (name: string) => {
    report.failed += 1;
    report.failing.push(name);
  };
  const follow = (parser: Parser): void => {
    let failedInside = 0;
    parser.on('child', (child: Parser) => {
      const before = report.failed;
      follow(child);
      child.on('complete', () => {
        failedInside = report.failed - before;
      });
    });
    parser.on('assert', (result: Result) => {
      const inside = failedInside;
      if (result.closingTestPoint) failedInside = 0;
      if (result.closingTestPoint && (result.ok || inside > 0)) return;
      const isSkipped = result.skip !== false || result.todo !== false;
      if (isSkipped) report.skipped += 1;
      else report.ran += 1;
      if (!isSkipped && !result.ok) fail(result.fullname);
    });
    parser.on('bailout', () => fail('Bail out'));
  };
  const parser = new Parser((results) => {
    const isCut = results.failures.some(
      (failure) => 'tapError' in failure && failure.tapError === 'incorrect number of tests',
    );
    if (isCut) fail('The report is cut off');
  });
  follow(parser);
  const endsAt = performance.now() + limitMs;
  for (const line of text.split(/(?<=\n)/)) {
    if (performance.now() > endsAt) return undefined;
    parser.write(line);
  }
  parser.end();
  return report;
}

import { z } from 'zod';
import type { TestReport } from '#core/check/test-report.ts';

const Jest = z.object({
  numTotalTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string().optional(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});
const Mocha = z.object({
  stats: z.object({ passes: z.number(), failures: z.number(), pending: z.number().optional() }),
  failures: z.array(z.object({ fullTitle: z.string() })),
});
const Pytest = z.object({
  summary: z.object({ total: z.number() }),
  tests: z.array(z.object({ nodeid: z.string(), outcome: z.string() })),
});

/** A JSON report as vitest and jest, mocha, or pytest-json-report write it; `root` is cut off the names of files. */
export function readJsonReport(text: string, root: string): TestReport | undefined {
  const json = jsonOf(text);
  const jest = Jest.safeParse(json).data;
  if (jest !== undefined) return ofJest(jest, root);
  const mocha = Mocha.safeParse(json).data;
  if (mocha !== undefined) return ofMocha(mocha);
  const pytest = Pytest.safeParse(json).data;
  return pytest === undefined ? undefined : ofPytest(pytest);
}

function ofJest({ testResults }: z.infer<typeof Jest>, root: string): TestReport {
  const all = testResults.flatMap(({ name, status, assertionResults }) => {
    const file = name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name;
    const tests = assertionResults.map((test) => ({ name: `${file} > ${test.fullName}`, outcome: test.status }));
    // A file that could not even be loaded failed without a test of its own.
    const isBroken = status === 'failed' && tests.every(({ outcome }) => outcome !== 'failed');
    return isBroken ? [...tests, { name: file, outcome: 'failed' }] : tests;
  });
  return counted('jest', all);
}

function ofMocha({ stats, failures }: z.infer<typeof Mocha>): TestReport {
  const { passes, failures: failed, pending = 0 } = stats;
  const names = failures.map(({ fullTitle }) => fullTitle);
  return { format: 'mocha', ran: passes + failed, failed, skipped: pending, failing: names };
}

function ofPytest({ tests }: z.infer<typeof Pytest>): TestReport {
  return counted(
    'pytest',
    tests.map(({ nodeid, outcome }) => ({ name: nodeid, outcome: outcome === 'error' ? 'failed' : outcome })),
  );
}

function counted(format: string, tests: readonly { name: string; outcome: string }[]): TestReport {
  const failing = tests.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
  const ran = tests.filter(({ outcome }) => outcome === 'failed' || outcome === 'passed').length;
  return { format, ran, failed: failing.length, skipped: tests.length - ran, failing };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import type { TestReport } from '#core/check/test-report.ts';

const Text = z.union([z.string(), z.number()]).transform(String);
/** A failure, an error or a skip may be an empty tag, a text, a tag with attributes, or several of them. */
const Mark = z.unknown().optional();
const plainCase = z.object({
  '@name': Text.optional(),
  '@classname': Text.optional(),
  failure: Mark,
  error: Mark,
  skipped: Mark,
});
type TestCase = z.infer<typeof plainCase>;
/** An element without anything in it is told as an empty text. */
const emptied = (value: unknown): unknown => (value === '' ? {} : value);
const TestCase: z.ZodType<TestCase> = z.preprocess(emptied, plainCase);

interface Suite {
  testcase?: TestCase[] | undefined;
  testsuite?: Suite[] | undefined;
}
const Suite: z.ZodType<Suite> = z.preprocess(
  emptied,
  z.object({ testcase: z.array(TestCase).optional(), testsuite: z.array(z.lazy(() => Suite)).optional() }),
);
const Document = z.object({ testsuites: Suite.optional(), testsuite: z.array(Suite).optional() });

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseAttributeValue: false,
  parseTagValue: false,
  // Entities that the document declares are how a small file becomes a large one.
  processEntities: false,
  isArray: (name) => name === 'testsuite' || name === 'testcase',
});

/** Each `testcase` of a JUnit report; undefined when the text is none. An empty element (`<testsuites/>`) is a report of none. */
export function readJunit(text: string): TestReport | undefined {
  const document = Document.safeParse(parsed(text));
  if (!document.success) return undefined;
  const { testsuites, testsuite } = document.data;
  if (testsuites === undefined && testsuite === undefined) return undefined;
  const cases = casesOf({ testsuite: [...(testsuites === undefined ? [] : [testsuites]), ...(testsuite ?? [])] });
  const failing = cases.filter(isFailing);
  const skipped = cases.filter((one) => one.skipped !== undefined && !isFailing(one));
  return {
    format: 'JUnit',
    ran: cases.length - skipped.length,
    failed: failing.length,
    skipped: skipped.length,
    failing: failing.map(nameOf),
  };
}

function parsed(text: string): unknown {
  try {
    return parser.parse(text, true);
  } catch {
    return undefined;
  }
}

function casesOf({ testcase = [], testsuite = [] }: Suite): TestCase[] {
  return [...testcase, ...testsuite.flatMap(casesOf)];
}

function isFailing({ failure, error }: TestCase): boolean {
  return failure !== undefined || error !== undefined;
}

function nameOf({ '@classname': classname, '@name': name = 'a test without a name' }: TestCase): string {
  return classname === undefined || classname === '' ? name : `${classname} > ${name}`;
}

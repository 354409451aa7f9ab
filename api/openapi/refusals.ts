import type { RouteConfig } from '@hono/zod-openapi';
import { errorPageOf } from '#core/contract/error-page-of.ts';
import { errorPages } from '#core/contract/error-pages.ts';
import type { Problem } from '#core/contract/http.ts';
import { type ProblemCode, problems } from '#core/contract/problem.ts';

type Answers = RouteConfig['responses'];
type ResponseObject = ReturnType<typeof written>;

/** What every call may answer, but the probes. */
const always: readonly ProblemCode[] = ['http/bad-request', 'http/unauthorized', 'internal', 'store/unavailable'];

/** A problem that no call lists: of a proxy, or of a later version. */
const anyOther = { description: 'Another problem (RFC 9457); `code` is a page in docs/errors' } as const;

/**
 * The problems that a call may answer, by status: those of every call, and `codes`. The type tells only of `default`,
 * since handlers throw problems and never return one.
 */
export function refusalsOf(...codes: ProblemCode[]): { default: Answers[string] } {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set([...always, ...codes])) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const answers = [...byStatus].map(([status, own]) => [String(status), answerOf(own)] as const);
  return { ...Object.fromEntries(answers), default: anyOther };
}

/** Each problem as an answer that calls refer to, under its name in `components.responses`. */
export function problemAnswers(): [name: string, answer: ResponseObject][] {
  const codes = Object.keys(problems).filter(isProblemCode);
  return codes.map((code) => [componentOf(code), written([code])]);
}

function answerOf(codes: readonly ProblemCode[]): Answers[string] {
  const [only, ...more] = codes;
  if (only !== undefined && more.length === 0) return { $ref: `#/components/responses/${componentOf(only)}` };
  return written(codes);
}

function written(codes: readonly ProblemCode[]) {
  const examples = codes.map((code) => [code, { value: exampleOf(code) }] as const);
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('; '),
    content: { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } },
  };
}

/** A name of a component holds no slash. */
const componentOf = (code: ProblemCode): string => code.replace('/', '.');
const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code);

/** As the page of the code tells it; the `detail` of a real one speaks of the case at hand. */
function exampleOf(code: ProblemCode): Problem {
  const { meaning, remedy } = errorPages[code];
  return { type: errorPageOf(code), ...problems[code], code, detail: meaning, remedy };
}

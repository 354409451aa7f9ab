import { expect, test } from 'vitest';
import { z } from 'zod';

import { Fault } from '#core/contract/fault.ts';

import { SetpointProblem, SetpointUnreachable } from '#client/problem.ts';

import { problemAnswer } from '#mcp/answer.ts';
import { answerAs } from '#mcp/answer-as.ts';
import { refusalProblem } from '#mcp/refusal.ts';

function told(error: unknown): unknown {
  const { content, isError } = problemAnswer(error);
  expect(isError).toBe(true);
  const [first] = content;
  return first?.type === 'text' ? JSON.parse(first.text) : undefined;
}

test('E-24: a refusal of the API is told as it is, with every issue', () => {
  const issues = [{ path: 'checks', code: 'definition/missing', message: 'is missing', severity: 'error' as const }];
  const problem = { type: 'docs/errors/definition/invalid', title: 't', status: 422, code: 'definition/invalid' };
  expect(told(new SetpointProblem({ ...problem, detail: 'd', remedy: 'r', issues }))).toEqual({
    code: 'definition/invalid',
    detail: 'd',
    remedy: 'r',
    issues,
  });
});

test('E-24: a server that is away, of another version or without a key is told with what to do', () => {
  expect(told(new SetpointUnreachable('http://x', 'no server answers at http://x', { cause: undefined }))).toEqual({
    code: 'server/unreachable',
    detail: 'no server answers at http://x',
    remedy: expect.stringContaining('setpoint up'),
  });
  expect(told(new Fault('secret/no-key', 'There is no key.'))).toMatchObject({
    code: 'secret/no-key',
    remedy: expect.stringContaining('SETPOINT_SECRETS_KEY'),
  });
  let other: unknown;
  try {
    answerAs({ runs: [{ runId: 7 }] }, z.object({ runs: z.array(z.object({ runId: z.string() })) }));
  } catch (error) {
    other = error;
  }
  expect(told(other)).toMatchObject({
    code: 'unexpected-answer',
    detail: expect.stringContaining('(at runs.0.runId)'),
  });
});

test('E-24: a refusal of the law names its run in the remedy; a code that is not known is a refusal still', () => {
  expect(told(refusalProblem({ code: 'run/not-paused', message: 'm' }, 'run_7'))).toMatchObject({
    code: 'run/not-paused',
    detail: 'm',
    remedy: expect.not.stringMatching(/\bRUN\b/),
  });
  expect(told(refusalProblem({ code: 'run/from-the-future', message: 'm' }, 'run_7'))).toMatchObject({
    code: 'run/refused',
  });
});

test('E-24: a mistake of ours is no answer of a tool', () => {
  expect(() => problemAnswer(new RangeError('ours'))).toThrow('ours');
});

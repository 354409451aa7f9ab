import { beforeAll, expect, test } from 'vitest';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

/** Mends its file in the second pass. */
const twoPasses = {
  name: 'Two passes',
  task: 'Mend it.',
  agent: { name: 'scripted', passes: ['echo one > note.txt', 'echo two > note.txt; echo done in pass 2'] },
  checks: [{ name: 'note', run: 'cat note.txt; grep -q two note.txt' }],
};

test('run --json prints one event a line and the outcome last, and leaves a branch with exactly the judged tree (G2)', async () => {
  const repository = stack.repository();
  const ended = await stack.run(repository, twoPasses);
  expect(ended.code).toBe(0);
  expect(ended.outcome).toMatchObject({ stop: 'succeeded', passes: 2, delivery: 'branch' });
  expect(ended.events.at(0)?.type).toBe('run.started');
  expect(ended.events.at(-1)?.type).toBe('run.stopped');
  const judged = ended.of('check.judged').at(-1)?.verdict.evidence;
  const branch = ended.outcome.branch ?? '';
  expect(repository.git('rev-parse', `${branch}^{tree}`)).toBe(judged?.tree);
  expect(repository.git('rev-parse', branch)).toBe(ended.outcome.commit);
  expect(repository.git('show', `${branch}:note.txt`)).toBe('two');
  expect(repository.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  expect(repository.git('status', '--porcelain')).toBe('');
});

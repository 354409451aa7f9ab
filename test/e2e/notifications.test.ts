import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, withReceiver } from '../integration/with-receiver.ts';
import { ownStack, type TestStack } from './stack.ts';

const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
let receiver: Receiver;
let stack: TestStack;

beforeAll(async () => {
  receiver = await withReceiver();
  stack = await ownStack({ SETPOINT_NOTIFY_WEBHOOK: receiver.url, SETPOINT_NOTIFY_WEBHOOK_SECRET: secret });
});

afterAll(async () => {
  await stack.close();
  await receiver.close();
});

test('V-17: a run that loops tells its end alone; a receiver that hangs delays no run, and a kill -9 repeats the id', async () => {
  receiver.answer(() => undefined);
  const { outcome } = await stack.run(stack.repository(), {
    task: 'Make y.',
    agent: { name: 'scripted', passes: ['true', 'echo y > y'] },
    checks: ['test -e y'],
  });
  expect([outcome.stop, outcome.passes]).toEqual(['succeeded', 2]);
  const first = await receiver.received.next();
  process.kill(stack.pidOf('control'), 'SIGKILL');
  const again = await receiver.received.next();
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(new Webhook(secret).verify(again.body, again.headers as Record<string, string>)).toMatchObject({
    type: 'run.ended',
    run: { id: outcome.runId, url: `${stack.state().url}/v1/runs/${outcome.runId}` },
    stop: { kind: 'succeeded' },
  });
  expect(receiver.received.unread).toBe(0);
});

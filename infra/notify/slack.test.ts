import { expect, test } from 'vitest';
import type { Notification } from '#core/notify/notification.ts';
import { slackMessage } from '#infra/notify/slack.ts';

const paused: Notification = {
  id: 'run_1:1',
  at: '2026-01-01T00:00:00.000Z',
  url: 'http://127.0.0.1/v1/runs/run_1',
  run: { id: 'run_1', name: '<!channel> & co', project: 'web', labels: [], url: 'http://127.0.0.1/v1/runs/run_1' },
  type: 'run.paused',
  code: 'x',
  reason: '<https://evil.example|Click here> '.repeat(200).slice(0, 1_000),
  remedy: 'setpoint raise run_1',
  commands: ['setpoint show run_1'],
};

test('text of a run mentions nobody and makes no link: it is plain, or its markup is escaped', () => {
  const { text, blocks } = slackMessage(paused);
  expect(text).toContain('&lt;!channel&gt; &amp; co: paused');
  expect(text).not.toMatch(/[<>]/);
  const markup = JSON.stringify(blocks.filter(({ type }) => type === 'context'));
  expect(markup).toContain('<http://127.0.0.1/v1/runs/run_1|Look at it>');
  expect(markup).not.toContain('evil');
  for (const { text: shown } of blocks) if (shown !== undefined) expect(shown.type).toBe('plain_text');
});

test('what Slack refuses as too long is cut', () => {
  const long = { ...paused, run: { ...paused.run, name: '😀'.repeat(100) } };
  const [header] = slackMessage(long).blocks;
  expect(header?.text?.text.length).toBeLessThanOrEqual(150);
  expect(header?.text?.text).not.toMatch(/\p{Surrogate}/u);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeConfig, loadConfig } from '#infra/config.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-notify-'));
});
afterAll(() => rm(cwd, { recursive: true }));

const whole = {
  SETPOINT_NOTIFY_WEBHOOK: 'https://ops.example/hook?key=topsecret1',
  SETPOINT_NOTIFY_WEBHOOK_SECRET: 'topsecret2-topsecret2',
  SETPOINT_NOTIFY_SLACK: 'https://hooks.slack.example/services/topsecret3',
  SETPOINT_SMTP_URL: 'smtps://me:topsecret4@mail.example:465',
  SETPOINT_NOTIFY_EMAIL: 'ops@example.com, dev@example.com',
  SETPOINT_NOTIFY_FROM: 'Setpoint <setpoint@example.com>',
};

test('without settings nobody is told anything, and callbacks may go anywhere', () => {
  const { webhook, slack, email, callbackHosts } = loadConfig({}, cwd).notify;
  expect([webhook, slack, email, callbackHosts]).toEqual([undefined, undefined, undefined, undefined]);
});

test('settings open channels; a list of kinds narrows what they hear', () => {
  const { notify } = loadConfig({ ...whole, SETPOINT_NOTIFY_EVENTS: 'run.ended, run.paused' }, cwd);
  expect(notify).toMatchObject({
    webhook: { secret: 'topsecret2-topsecret2' },
    email: { from: 'Setpoint <setpoint@example.com>', to: ['ops@example.com', 'dev@example.com'] },
    types: ['run.ended', 'run.paused'],
  });
});

test('what needs another setting beside it says so, and an unknown kind names the known ones', () => {
  const load = (environment: Record<string, string>) => () => loadConfig(environment, cwd);
  expect(load({ SETPOINT_NOTIFY_WEBHOOK: 'https://ops.example' })).toThrow(/needs SETPOINT_NOTIFY_WEBHOOK_SECRET/);
  expect(load({ SETPOINT_NOTIFY_EMAIL: 'a@example.com' })).toThrow(
    /needs SETPOINT_SMTP_URL.*needs SETPOINT_NOTIFY_FROM/,
  );
  expect(load({ SETPOINT_NOTIFY_EVENTS: 'run.finished' })).toThrow(/run\.ended/);
  expect(load({ SETPOINT_NOTIFY_WEBHOOK_SECRET: 'short' })).toThrow(/16 characters/);
  expect(load({ SETPOINT_NOTIFY_SLACK: 'file:///etc/passwd' })).toThrow(/https:/);
  expect(load({ SETPOINT_NOTIFY_FROM: 'a@example.com\r\nBcc: b@example.com' })).toThrow(/one line/);
});

test('the description tells which kinds are told where nothing is set', () => {
  const told = describeConfig({}, cwd).find(({ name }) => name === 'SETPOINT_NOTIFY_EVENTS');
  expect(told?.source).toBe('default');
  expect(told?.value.split(', ').toSorted((a, b) => a.localeCompare(b))).toEqual([
    'run.ended',
    'run.paused',
    'step.failed',
    'task.escalated',
    'task.opened',
    'task.reminded',
  ]);
});

test('the description hides every secret of them', () => {
  const described = describeConfig(whole, cwd);
  expect(JSON.stringify(described)).not.toContain('topsecret');
  expect(described).toContainEqual({
    name: 'SETPOINT_NOTIFY_SLACK',
    value: 'https://hooks.slack.example/********',
    source: 'environment',
  });
});

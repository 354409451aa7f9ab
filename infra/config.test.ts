import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeConfig, loadConfig } from '#infra/config.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-config-'));
  await mkdir(join(cwd, '.setpoint'));
});
afterEach(() => rm(cwd, { recursive: true }));

const writeConfig = (content: string) => writeFile(join(cwd, '.setpoint/config.yaml'), content);

test('the home is .setpoint in the working folder, absolute', () => {
  expect(loadConfig({}, cwd).home).toBe(join(cwd, '.setpoint'));
  expect(loadConfig({ SETPOINT_HOME: 'elsewhere' }, cwd).home).toBe(join(cwd, 'elsewhere'));
});

test('without settings the embedded stack is the default, on port 4747, with artifacts in its home', () => {
  expect(loadConfig({}, cwd)).toMatchObject({
    temporalAddress: undefined,
    databaseUrl: undefined,
    port: 4747,
    sandbox: 'auto',
    artifacts: `file:${join(cwd, '.setpoint/artifacts')}`,
  });
});

test('the environment wins over the settings file, and an empty variable is absent', async () => {
  await writeConfig('SETPOINT_PORT: 5000\nSETPOINT_LOG: debug\nSETPOINT_HOST_ID: 12\n');
  const config = loadConfig({ SETPOINT_PORT: '6000', SETPOINT_LOG: '' }, cwd);
  expect(config).toMatchObject({ port: 6000, logLevel: 'debug', hostId: '12' });
});

test('every wrong setting is named at once, with where it stands', async () => {
  await writeConfig('SETPOINT_SANDBOX: chroot\n');
  const load = () => loadConfig({ SETPOINT_PORT: 'high', SETPOINT_TEMPORAL_ADDRESS: 'temporal' }, cwd);
  expect(load).toThrow(/SETPOINT_PORT \(environment\)/);
  expect(load).toThrow(/SETPOINT_TEMPORAL_ADDRESS \(environment\): must be host:port/);
  expect(load).toThrow(/SETPOINT_SANDBOX \(.*config.yaml\)/);
});

test('a key that no settings file can set is refused with those that it can', async () => {
  await writeConfig('SETPOINT_PROT: 5000\n');
  expect(() => loadConfig({}, cwd)).toThrow(/SETPOINT_PROT.*SETPOINT_PORT/);
  await writeConfig('SETPOINT_HOME: /elsewhere\n');
  expect(() => loadConfig({}, cwd)).toThrow(/SETPOINT_HOME/);
  await writeConfig('- a list\n');
  expect(() => loadConfig({}, cwd)).toThrow(/not a YAML map/);
});

test('the owner of a server is the account of the process unless it is named', () => {
  expect(loadConfig({}, cwd).user).toBe(userInfo().username);
  expect(loadConfig({ SETPOINT_USER: 'ada@example.invalid' }, cwd).user).toBe('ada@example.invalid');
});

test('a key for secrets is 32 bytes in base64, and is not repeated when it is not', () => {
  const load = () => loadConfig({ SETPOINT_SECRETS_KEY: 'not-a-key' }, cwd);
  expect(load).toThrow(/SETPOINT_SECRETS_KEY \(environment\): must be 32 bytes in base64/);
  expect(load).not.toThrow(/not-a-key/);
});

test('E-27: loops are on unless a deployment switches them off, by the environment or its file, and the settings tell', async () => {
  const value = (environment: Record<string, string> = {}) =>
    describeConfig(environment, cwd).find(({ name }) => name === 'SETPOINT_LOOPS');
  expect(loadConfig({}, cwd).loops).toBe('on');
  expect(value()).toEqual({ name: 'SETPOINT_LOOPS', value: 'on', source: 'default' });
  expect(loadConfig({ SETPOINT_LOOPS: 'off' }, cwd).loops).toBe('off');
  await writeConfig('SETPOINT_LOOPS: off\n');
  expect(value()).toEqual({ name: 'SETPOINT_LOOPS', value: 'off', source: 'file' });
  expect(loadConfig({ SETPOINT_LOOPS: 'on' }, cwd).loops).toBe('on');
  expect(() => loadConfig({ SETPOINT_LOOPS: 'no' }, cwd)).toThrow(/SETPOINT_LOOPS \(environment\)/);
});

test('programs of agents come by name', () => {
  expect(loadConfig({ SETPOINT_AGENT_CODEX: '/opt/codex' }, cwd).agents).toEqual({ codex: '/opt/codex' });
});

test('the description tells the source of each value and masks secrets', async () => {
  await writeConfig('SETPOINT_LOG: warn\n');
  const environment = {
    SETPOINT_GITHUB_TOKEN: 'ghp_secret1',
    SETPOINT_TOKEN: 'secret2',
    SETPOINT_SECRETS_KEY: `${'secret4'.padEnd(43, 'A')}=`,
    SETPOINT_DATABASE_URL: 'postgres://me:secret3@db:5432/setpoint',
  };
  const settings = describeConfig(environment, cwd);
  expect(JSON.stringify(settings)).not.toMatch(/secret\d/);
  expect(settings).toContainEqual({ name: 'SETPOINT_LOG', value: 'warn', source: 'file' });
  expect(settings).toContainEqual({ name: 'SETPOINT_PORT', value: '4747', source: 'default' });
  expect(settings).toContainEqual({ name: 'SETPOINT_GITHUB_TOKEN', value: '********', source: 'environment' });
  expect(settings).toContainEqual({
    name: 'SETPOINT_DATABASE_URL',
    value: 'postgres://me:********@db:5432/setpoint',
    source: 'environment',
  });
});

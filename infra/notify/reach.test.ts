import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { guardedLookup, isForbiddenAddress, whyUnreachable } from '#infra/notify/reach.ts';

const server = createServer((_, response) => response.end());
afterAll(() => server.close());

test('link-local and metadata addresses are forbidden, in every spelling', () => {
  const forbidden = [
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    'fe80::1',
    'febf::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
  ];
  expect(forbidden.filter((address) => !isForbiddenAddress(address))).toEqual([]);
  expect(['127.0.0.1', '10.0.0.1', '::1', '2001:db8::1', 'fec0::1'].filter(isForbiddenAddress)).toEqual([]);
});

test('a url that hides such an address behind a number is refused as well', () => {
  const guarded = { kind: 'guarded', hosts: undefined } as const;
  const urls = [
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
  ];
  const reasons = urls.map((url) => whyUnreachable(new URL(url), guarded));
  expect(reasons).toEqual(urls.map(() => expect.stringContaining('link-local')));
  expect(whyUnreachable(new URL('http://169.254.169.254/'), { kind: 'any' })).toBeUndefined();
  expect(whyUnreachable(new URL('ftp://ci.example/'), { kind: 'any' })).toMatch(/neither https/);
});

test('with a list of hosts only those may be called', () => {
  const guarded = { kind: 'guarded', hosts: ['ci.example', '*.hooks.example'] } as const;
  const may = (url: string) => whyUnreachable(new URL(url), guarded) === undefined;
  expect(may('https://ci.example/x')).toBe(true);
  expect(may('https://CI.example./x')).toBe(true);
  expect(may('https://a.hooks.example/x')).toBe(true);
  expect(may('https://hooks.example/x')).toBe(false);
  expect(may('https://evilhooks.example/x')).toBe(false);
  expect(may('https://ci.example@evil.example/x')).toBe(false);
});

test('a name is looked up by the guard as Node would: a request by name arrives', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on a port');
  const sent = request({ host: 'localhost', port: address.port, lookup: guardedLookup, agent: false }).end();
  const [response] = await once(sent, 'response');
  expect(response).toMatchObject({ statusCode: 200 });
});

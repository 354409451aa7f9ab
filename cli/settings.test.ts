import { expect, test } from 'vitest';

import { settingsOf } from '#cli/settings.ts';

test('a flag wins over the environment, which wins over the default (docs/guide/scripts.md)', () => {
  const environment = { url: 'http://env:1/', token: 'env', project: 'env', home: 'state' };
  expect(settingsOf({ server: 'http://flag:2', token: 'flag' }, environment, '/w')).toEqual({
    server: 'http://flag:2',
    token: 'flag',
    project: 'env',
    home: '/w/state',
  });
  expect(settingsOf({}, environment, '/w').server).toBe('http://env:1');
  expect(settingsOf({}, {}, '/w')).toEqual({ home: '/w/.setpoint' });
});

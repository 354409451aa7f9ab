import { describe, expect, test } from 'vitest';
import { withoutCredentials } from '#infra/sandbox/git-config.ts';

const open = `[core]
\trepositoryformatversion = 1
\tautocrlf = input
[extensions]
\tobjectformat = sha256
[remote "origin"]
\turl = https://example.org/a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
`;

describe('a repository’s settings without credentials', () => {
  test('settings that hold none are as they were', () => {
    expect(withoutCredentials(open)).toBe(open);
    expect(withoutCredentials('')).toBe('');
  });

  test('sections that can hold one are left out, whatever their case or form', () => {
    const secret = `[http "https://github.com/"]
\textraheader = AUTHORIZATION: basic c2VjcmV0
[Credential]
\thelper = "!f() { echo password=secret; }; f"
[url "https://secret@github.com/"]
\tinsteadOf = gh:
[includeIf "gitdir:/x"]
\tpath = /secret
[http.proxy] proxyauth = secret
[tool "x"]
\ttoken = secret
`;
    expect(withoutCredentials(secret + open)).toBe(open);
    expect(withoutCredentials(open + secret)).toBe(open);
  });

  test('the user part of an address is left out', () => {
    const line = (user: string) => `[remote "origin"]\n\turl = https://${user}example.org/a.git\n`;
    for (const user of ['me:secret@', 'ghp_secret@', 'x-access-token:a%40b@']) {
      expect(withoutCredentials(line(user))).toBe(line(''));
    }
  });
});

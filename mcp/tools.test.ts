import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { tools } from '#mcp/tools.ts';

const guide = readFileSync(new URL('../docs/guide/mcp.md', import.meta.url), 'utf8');

test('E-24: the guide lists every tool, once', () => {
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  expect(listed.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
});

test('E-27: what starts or spends is told apart from what looks, pauses, cancels and decides', () => {
  const started = tools.filter(({ goesOn }) => goesOn).map(({ name }) => name);
  expect(started.toSorted()).toEqual([
    'edit_run',
    'fork_run',
    'push_back_run',
    'raise_run',
    'resume_run',
    'retry_run',
    'source_on',
    'start_run',
    'validate_definition',
  ]);
});

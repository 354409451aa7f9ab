import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { canFail, plainMode } from '#core/doctor/shell/exit-status.ts';
import { programsIn } from '#core/doctor/shell/program.ts';
import { readShell } from '#core/doctor/shell/script.ts';

function fails(command: string): boolean | undefined {
  const script = readShell(command);
  return script === undefined ? undefined : canFail(script.root, plainMode);
}

describe('B9: whether a command can fail', () => {
  test.each([
    'npm test',
    'cd web && npm test',
    'npm test || exit 1',
    'npm test || { echo broken; exit 1; }',
    'set -e; npm test; echo ok',
    'set -euo pipefail\nnpm test\necho ok',
    'if ! npm test; then exit 1; fi; echo ok',
    'bash -ec "npm test; echo ok"',
    'env CI=1 npm test',
    'x=$(npm test)',
    '[ -f out.txt ]',
    'git diff --exit-code',
    '(cd web; npm test)',
    'for f in *.sh; do shellcheck "$f" || exit 1; done',
    'npm test; exit $?',
    '! grep -rn TODO src',
    'setpoint_unknown_program',
  ])('it can: %s', (command) => expect(fails(command)).toBe(true));

  test.each([
    'npm test || true',
    'npm test || :',
    'npm test; true',
    'npm test; exit 0',
    'npm test; echo done',
    'npm test\necho done',
    'set +e\nnpm test\necho $?',
    'npm test &',
    'echo ok',
    'cd web',
    'exit 0',
    'git diff',
    'find . -name "*.tmp"',
    'sh -c "npm test || true"',
    'if npm test; then echo good; else echo bad; fi',
    'npm test && echo ok || echo bad',
  ])('it cannot: %s', (command) => expect(fails(command)).toBe(false));

  test('what cannot be parsed is not judged', () => {
    for (const command of ['echo "open', 'if true; then', 'a && ', 'foo )']) expect(fails(command)).toBeUndefined();
  });

  test('no text makes it throw', () => {
    const words = fc.constantFrom(
      'npm test',
      '|',
      '||',
      '&&',
      ';',
      '\n',
      '(',
      ')',
      '{',
      '}',
      '$(',
      '`',
      '"',
      "'",
      '<<E',
      '!',
      'if',
      'then',
      'fi',
      '&',
      'exit 0',
      '{{x}}',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const script = readShell(parts.join(' '));
        if (script === undefined) return;
        expect(typeof canFail(script.root, plainMode)).toBe('boolean');
        expect(Array.isArray(programsIn(script))).toBe(true);
      }),
    );
  });
});

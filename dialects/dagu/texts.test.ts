import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import type { TemplateScope } from '#core/template/render.ts';
import { renderCommand, renderPrompt } from '#core/template/render.ts';
import { compileText } from '#dialects/parse.ts';

function planOf(text: string): Plan {
  const compiled = compileText({ text });
  if (compiled.kind === 'issues') expect(compiled.issues).toEqual([]);
  if (compiled.kind !== 'plan') throw new TypeError('no plan');
  return compiled.plan;
}

/** What the last step's command prints and how it ends, run as a host runs it. */
function runs(text: string, scope: TemplateScope = {}, shell = '/bin/sh'): { said: string; status: number | null } {
  const step = planOf(text).steps.at(-1);
  if (step?.work.kind !== 'run') throw new TypeError('no command');
  const env = Object.entries(step.env).map(([name, value]) => [name, renderPrompt(value, scope)] as const);
  const { stdout, status } = spawnSync(shell, ['-c', renderCommand(step.work.command, scope)], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...Object.fromEntries(env) },
  });
  return { said: stdout, status };
}

const withValue = (...lines: string[]): string =>
  ['params:', '  - V: ""', 'steps:', '  - id: a', '    run: |', ...lines.map((line) => `      ${line}`)].join('\n');

describe('values in a command', () => {
  const nasty = `a 'b' "c" $(echo no) \`echo no\` ; echo no & \\ {{x}} $HOME *`;

  test.each([
    ['in double quotes', `printf '%s' "\${params.V}"`],
    ['in single quotes', `printf '%s' '\${params.V}'`],
    ['in a here-document', 'cat <<EOF', '${params.V}', 'EOF'],
    ['in a here-document without expansion', `cat <<'EOF'`, '${params.V}', 'EOF'],
    ['as a variable', 'printf "%s" "$V"'],
  ])('are data %s (A11)', (_, ...lines) => {
    expect(runs(withValue(...lines), { 'inputs.V': nasty }).said.trimEnd()).toBe(nasty);
  });

  test.each([
    ['in quotes', `cat <<'EOF'`],
    ['in double quotes', `cat <<"EOF"`],
    ['behind a backslash', `cat <<\\EOF`],
    ['without quotes', 'cat <<EOF'],
    ['behind another one', `cat <<'A' <<-'EOF'`, 'x $HOME', 'A'],
  ])('no value ends a here-document whose delimiter is written %s (A11)', (_, ...begin) => {
    const value = `x\nEOF\necho run\ncat <<EOF\n`;
    const { said } = runs(withValue(...begin, '${params.V}', 'EOF', 'echo after'), { 'inputs.V': value });
    expect(said).toBe(`${value}\nafter\n`);
  });

  test('in a here-document without expansion everything but the values stays as it is', () => {
    const lines = String.raw`a $HOME ${'${V}'} \$x \\ "q" 'q' \`echo no\` $(echo no) {{x}} \{{`;
    const given = runs(withValue(`cat <<'EOF'`, lines, '${params.V}|', lines, 'EOF', 'echo "$V"'), { 'inputs.V': 'v' });
    expect(given.said).toBe(`${lines}\nv|\n${lines}\nv\n`);
    expect(runs(withValue(`cat <<'EOF'`, lines, 'EOF')).said).toBe(`${lines}\n`);
  });

  test('in double and single quotes any value is itself (A11)', () => {
    const piece = fc.constantFrom("'", '"', '$(echo no)', '`', '\\', ';', ' ', '{{', '$', 'x', '|');
    const values = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const text = withValue(`printf '%s|' "\${params.V}" '\${params.V}'`);
    const isItself = (value: string): boolean => runs(text, { 'inputs.V': value }).said === `${value}|${value}|`;
    expect(fc.check(fc.property(values, isItself), { numRuns: 25 }).counterexample).toBeNull();
  });

  test('what only looks like a template is text', () => {
    expect(runs(`steps:\n  - id: a\n    run: echo '{{.Name}}' "{{ x }}"\n`).said).toBe('{{.Name}} {{ x }}\n');
  });

  test('the escape of Dagu leaves the text', () => {
    expect(runs(withValue("echo '\\${params.V}'")).said).toBe('${params.V}\n');
  });
});

describe('how a command runs', () => {
  test('a script of several lines stops at the first that fails, a list at the first command', () => {
    expect(runs('steps:\n  - id: a\n    run: |\n      echo one\n      false\n      echo two\n')).toEqual({
      said: 'one\n',
      status: 1,
    });
    expect(runs('steps:\n  - id: a\n    run: [echo one; cd /, pwd > /dev/null; exit 3, echo two]\n')).toEqual({
      said: 'one\n',
      status: 3,
    });
  });

  test('D-14: a shell of the file sees a failing pipe; one of the step is taken as it is', () => {
    const pipe = (shell: string): string => `${shell}steps:\n  - id: a\n    run: false | cat\n`;
    expect(runs(pipe('')).status).toBe(0);
    expect(runs(pipe('shell: bash -o pipefail\n')).status).toBe(1);
    expect(runs('steps:\n  - id: a\n    run: "false; echo on"\n    with: { shell: /bin/bash }\n')).toEqual({
      said: 'on\n',
      status: 0,
    });
    expect(
      runs(`shell: bash\nparams: it's\nsteps:\n  - id: a\n    run: echo "$1" "\${p1}"\n`, { 'inputs.p1': `it's` }).said,
    ).toBe("it's it's\n");
  });

  test('a script goes to the program that its first line or `command` names', () => {
    const script = "import sys\nprint('${params.V}', len(sys.argv))";
    const indented = script.replaceAll('\n', '\n      ');
    const scope = { 'inputs.V': 'it' };
    expect(
      runs(`params: [{V: ""}]\nsteps:\n  - id: a\n    run: |\n      #!/usr/bin/env python3\n      ${indented}\n`, scope)
        .said,
    ).toBe('it 1\n');
    expect(
      runs(`params: [{V: ""}]\nsteps:\n  - id: a\n    command: python3\n    script: |\n      ${indented}\n`, scope)
        .said,
    ).toBe('it 1\n');
  });

  test('`exec` starts a program without a shell', () => {
    const text = `env: [{A: x y}]\nsteps:\n  - id: a\n    action: exec\n    with: { command: printf, args: ['%s|', "$A", "\${UNSET}", "it's; echo", 1] }\n`;
    expect(runs(text).said).toBe("x y|${UNSET}|it's; echo|1|");
  });

  test('variables of a file may name those before them, commands and what the host has', () => {
    const text = `env:
  - A: one
  - B: \${A} two "three"
  - C: $(printf '%s' "\${B}") $(( 1 + 1 ))
  - PATH: /nowhere:$PATH
  - D: \${UNSET:-none} costs 5$
steps:
  - id: a
    env: { E: "\${D}!" }
    run: printf '%s|' "$B" "$C" "$E"; printf '%s' "$PATH" | cut -d ':' -f 1
`;
    expect(runs(text).said).toBe('one two "three"|one two "three" 2|none costs 5$!|/nowhere\n');
  });

  test('a default that is a command is worked out where nothing is given', () => {
    const text = `params: ["A=\`echo 'one two'\`"]\nsteps:\n  - id: a\n    run: printf '%s|' "$A" '\${params.A}'\n`;
    expect(runs(text, {}).said).toBe('one two|one two|');
    expect(runs(text, { 'inputs.A': 'it "is" $5' }).said).toBe('it "is" $5|it "is" $5|');
    expect(runs(text.replace(/^params.*/, 'params: [{ name: A, eval: $(echo x) }]')).said).toBe('x|x|');
  });

  test('streams go into files, and stay the output', () => {
    const text = `steps:\n  - id: a\n    run: echo out; echo err >&2; exit 4\n    stdout: /tmp/\${X}out-$$.txt\n    stderr: /dev/null\n`;
    expect(runs(text)).toEqual({ said: 'out\n', status: 4 });
  });

  test.each([
    ['an undeclared name', `echo b=1 >> "$DAGU_OUTPUT_FILE"`],
    ['a name twice', `printf 'a=1\\na=2\\n' >> "$DAGU_OUTPUT_FILE"`],
    ['a missing name', ':'],
    ['a line that is no record', `echo hello >> "$DAGU_OUTPUT_FILE"`],
    ['an open text', `printf 'a<<END\\nx\\n' >> "$DAGU_OUTPUT_FILE"`],
  ])('a file of outputs with %s fails the step', (_, command) => {
    const text = `steps:\n  - id: a\n    run: ${JSON.stringify(command)}\n    outputs: [{ name: a }]\n`;
    expect(runs(text)).toEqual({ said: '', status: 1 });
  });

  test('a file of outputs becomes JSON', () => {
    const record = String.raw`printf 'a<<END\nx "y" \\ z\n\tw\nEND\nb={"c":[1]}\n' >> "$DAGU_OUTPUT_FILE"; echo said`;
    const text = `steps:\n  - id: a\n    run: ${JSON.stringify(record)}\n    outputs: [{ name: a }, { name: b, type: json }]\n`;
    expect(JSON.parse(runs(text).said)).toEqual({ a: 'x "y" \\ z\n\tw', b: { c: [1] } });
  });
});

describe('conditions', () => {
  /** Exit code and output of the condition of the only step, as the host compares them. */
  function judged(condition: string, scope: TemplateScope = {}): { said: string; status: number | null } {
    const step = planOf(`params: [{V: ""}]\nsteps:\n  - id: a\n    run: 'true'\n    preconditions:\n${condition}`)
      .steps[0];
    const { status, stdout } = spawnSync('/bin/sh', ['-c', renderCommand(step?.when?.condition.command ?? '', scope)], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], V: scope['inputs.V'] },
    });
    return { said: stdout, status };
  }

  test.each([
    [
      'a value of several lines',
      '      - condition: "one\\n\\"two\\""\n        expected: two',
      { said: 'one\n"two"\n', status: 0 },
    ],
    [
      'a command in a value',
      '      - condition: "`echo ready`!"\n        expected: x',
      { said: 'ready!\n', status: 0 },
    ],
    [
      'a command that fails is a value',
      '      - eval: $(echo no; exit 3)\n        expected: x',
      { said: 'no\n', status: 0 },
    ],
    [
      'a command that is not there is none',
      '      - eval: $(no-such-command-anywhere)\n        expected: x',
      { said: '', status: 127 },
    ],
    ['a number that is', '      - condition: "3.5"\n        expected: "num:>=3"', { said: '', status: 0 }],
    ['a number that is not', '      - condition: "2"\n        expected: "num:>=3"', { said: '', status: 1 }],
    ['no number at all', '      - condition: not-a-number\n        expected: "num:>=1"', { said: '', status: 126 }],
    ['a command', '      - test 1 = 2', { said: '', status: 1 }],
  ])('%s', (_, condition, expected) => {
    expect(judged(condition)).toEqual(expected);
  });

  test('a value is data', () => {
    const text = '      - condition: ${params.V}\n        expected: x';
    expect(judged(text, { 'inputs.V': '$(echo no) "x"' }).said).toBe('$(echo no) "x"\n');
  });
});

import fc from 'fast-check';

import { Definition } from '#core/definition/definition.ts';

/** Random definitions that compile, with every key that the long form has. Names of steps are those of `arbitraryDefinition`. */

/** Texts as people write them and as they never should: all that YAML could read as something else. */
const text = fc.oneof(
  fc.constantFrom(
    'make test',
    'true',
    'no',
    '0755',
    '1.10',
    '~',
    'null',
    '- a',
    'a: b',
    '# no comment',
    '*a',
    '&a',
    '!t',
  ),
  fc.constantFrom(
    'several\nlines',
    '  indented\nthen not',
    'ends with newlines\n\n',
    'tab\there',
    '"quoted"',
    "it's",
    '{a: [b',
  ),
  fc.constantFrom(
    '\ttab first',
    'cr\rhere',
    'é ü 中',
    '% per cent',
    '@at',
    '`tick`',
    '--- \n...',
    '\\{{literal}}',
    'x'.repeat(200),
  ),
  fc.string({ minLength: 1, maxLength: 20 }).map((written) => `x${written.replaceAll(/[{}\0]/g, '')}`),
);
const shellText = fc.constantFrom(
  'true',
  "grep -c 'a: b' x",
  'if true; then\n  make\nfi',
  'echo "$HOME" # all',
  'test ! -e x',
);
const pattern = fc.constantFrom(
  'ok',
  '\\b0 failed\\b',
  '^BLOCKED:',
  'VERDICT:\\s*APPROVE(?![\\s\\S]*VERDICT)',
  "it's: \\d+",
);
const seconds = fc.constantFrom(1, 60, 90, 600, 0.5, 1.25, 1800);
const pause = fc.constantFrom(0, 1, 90, 3600);
const name = fc.constantFrom('one', 'two', 'a-b', 'NAME_1');
const file = fc.constantFrom('notes.md', 'a/b c.json', './x');

function maybe<T>(of: fc.Arbitrary<T>, freq = 1): fc.Arbitrary<T | undefined> {
  return fc.option(of, { nil: undefined, freq });
}

/** An object whose keys may be absent: `undefined` is never a value of a definition. */
function partly(shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return fc.record(shape, { requiredKeys: [] });
}

const agent = fc.oneof(
  fc.record(
    {
      name: fc.constantFrom('codex', 'claude', 'auto'),
      model: text,
      effort: text,
      args: fc.array(text, { maxLength: 2 }),
      session: fc.constantFrom('fresh' as const, 'resume' as const),
      fallback: fc.array(fc.constantFrom('pi', 'gemini'), { maxLength: 2 }),
      quietSeconds: fc.constantFrom(null, 60),
    },
    { requiredKeys: ['name'] },
  ),
  fc.constant({ name: 'custom', custom: { command: ['my-agent', '--flag: x'], prompt: 'file' as const } }),
  fc.constant({ name: 'scripted', scripted: { passes: ['true', 'echo "a: b"\ntrue'] } }),
);

const condition = fc.oneof(
  fc.constant({ command: 'test -f done', compare: 'exitCode' as const, returns: '0', timeSeconds: 60 }),
  fc.record({
    command: shellText,
    compare: fc.constantFrom('exitCode' as const, 'auto' as const),
    returns: fc.constantFrom('0', '1', 'true', ''),
    timeSeconds: seconds,
  }),
  fc.record(
    {
      command: shellText,
      compare: fc.constantFrom('stdout' as const, 'stderr' as const),
      returns: pattern,
      timeSeconds: seconds,
      by: fc.constantFrom('line' as const, 'pattern' as const),
      negate: fc.boolean(),
    },
    { requiredKeys: ['command', 'compare', 'returns', 'timeSeconds'] },
  ),
);

const onExhausted = fc.constantFrom('fail' as const, 'ask' as const, 'pause' as const, 'succeed' as const);
const schema = { type: 'object', properties: { risk: { type: 'string', enum: ['1', 'no'] } }, required: ['risk'] };

const check = fc.oneof(
  fc.record(
    {
      kind: fc.constant('command' as const),
      command: shellText,
      needs: fc.constantFrom('always' as const, 'passed' as const),
      timeSeconds: seconds,
      expectExit: fc.constantFrom(0, 1, 255),
      evidence: fc.constantFrom({ tests: 1 }, { tests: 3, file: 'report.xml' }),
    },
    { requiredKeys: ['kind', 'command'] },
  ),
  fc.constantFrom<unknown[]>(
    { kind: 'command', command: 'make', where: 'commit', provide: ['node_modules'] },
    { kind: 'match', pass: '^ok$', fail: 'no: \\d' },
    { kind: 'schema', schema: { inline: schema } },
    { kind: 'schema', schema: { file: 'reply.schema.json' }, timeSeconds: 5 },
    { kind: 'report', wants: { kind: 'worklist' } },
    { kind: 'report', file: 'r.json', wants: { kind: 'artifact', path: 'out.md' } },
  ),
  fc.record(
    { kind: fc.constant('review' as const), criterion: text, agent, consecutive: fc.constantFrom(1, 2) },
    { requiredKeys: ['kind', 'criterion'] },
  ),
);

/** Each with a name of its own: two of one text would have one name. */
const checks = fc
  .array(check, { maxLength: 3 })
  .map((all) =>
    all.map((each, index) => (index === 0 ? each : Object.assign({}, each, { name: `check ${index}: no` }))),
  );

const loop = (targets: readonly string[]): fc.Arbitrary<unknown> =>
  partly({
    to: fc.constantFrom(...targets),
    on: fc.constantFrom('fail' as const, 'pass' as const, 'always' as const),
    limit: fc.constantFrom(0, 2, null),
    wait: partly({ everySeconds: pause, backoff: fc.constantFrom(1, 1.5), maxSeconds: pause }),
    onExhausted,
    limitJudges: fc.boolean(),
    anyTarget: fc.boolean(),
    inFlight: fc.constantFrom('cancel' as const, 'keep' as const),
    repeat: fc.oneof(
      fc.record(
        {
          mode: fc.constantFrom('while' as const, 'until' as const),
          condition,
          onError: fc.constantFrom('pause' as const, 'fail' as const, 'unmet' as const),
          met: fc.constantFrom('continue' as const, 'again' as const, 'stop' as const),
          unmet: fc.constantFrom('continue' as const, 'again' as const, 'stop' as const),
        },
        { requiredKeys: ['mode', 'condition'] },
      ),
      fc.constant({ mode: 'until' as const, exitCodes: [0, 3] }),
    ),
  });

const person = fc.record(
  {
    kind: fc.constant('person' as const),
    ask: text,
    show: fc.constant([
      { kind: 'file' as const, path: 'notes.md' },
      { kind: 'artifact' as const, path: 'a: b.md' },
    ]),
    form: fc.constant(schema),
    pushBackForm: fc.constant({ type: 'object', required: ['why'], properties: { why: { type: 'string' } } }),
    pushBackLimit: fc.constantFrom(null, 0, 3),
    who: fc.constant(['team:web', 'ann']),
    quorum: fc.constantFrom(1, 2),
    notAuthor: fc.boolean(),
    remindSeconds: seconds,
    escalate: fc.constant({ to: ['team:leads'], afterSeconds: 86_400 }),
    time: fc.constantFrom({ limitSeconds: 3600 }, { limitSeconds: 90, onExpiry: 'escalate' as const }),
  },
  { requiredKeys: ['kind', 'ask'] },
);

const work = fc.oneof(
  fc.record({ kind: fc.constant('agent' as const), agent, prompt: text }),
  fc.record({ kind: fc.constant('run' as const), command: shellText }),
);

const retry = partly({
  on: fc.constantFrom<unknown[]>('notVerdict', 'failure', [1, 75]),
  limit: fc.constantFrom(0, 3),
  everySeconds: pause,
  backoff: fc.constantFrom(1, 2.5),
  maxSeconds: pause,
});

function workStep(id: string, above: readonly string[]): fc.Arbitrary<unknown> {
  return fc.record(
    {
      id: fc.constant(id),
      name: text,
      after: fc.subarray([...above]),
      work,
      checks,
      mode: fc.constantFrom('all' as const, 'any' as const),
      readOnly: fc.boolean(),
      when: fc.record(
        {
          condition,
          and: fc.array(condition, { maxLength: 2 }),
          onUnmet: fc.constantFrom('skip' as const, 'stop' as const),
          onError: fc.constantFrom('pause' as const, 'fail' as const),
        },
        { requiredKeys: ['condition'] },
      ),
      match: fc.oneof(
        fc.record({ pass: pattern }),
        fc.record({ fail: pattern }),
        fc.record({ pass: pattern, fail: pattern }),
      ),
      retry,
      loop: loop([id]),
      timeSeconds: seconds,
      continueOnError: fc.boolean(),
      continueOn: fc.constantFrom({ exitCodes: [1, 2] }, { matches: ['a: b'], markSuccess: true }),
      skipsDependents: fc.boolean(),
      env: fc.dictionary(
        name.map((each) => each.replace('-', '_')),
        text,
        { maxKeys: 2 },
      ),
      secrets: fc.constantFrom(['NPM_TOKEN'], ['NPM_TOKEN', 'OTHER']),
      directory: file,
      output: fc.constantFrom({ of: 'stdout' as const }, { of: 'all' as const, artifact: 'a b.txt' }),
      outputs: fc.constant({ total: 'result.items.0' }),
    },
    { requiredKeys: ['id', 'after', 'work', 'checks'] },
  );
}

function personStep(id: string, above: readonly string[]): fc.Arbitrary<unknown> {
  return fc.record(
    {
      id: fc.constant(id),
      name: text,
      after: fc.constant([...above]),
      work: person,
      checks: fc.constant([]),
      loop: fc.constantFrom({ to: above[0] ?? id }, { to: above[0] ?? id, limit: 2, anyTarget: true }),
      continueOnError: fc.boolean(),
    },
    { requiredKeys: ['id', 'after', 'work', 'checks'] },
  );
}

function callStep(id: string, above: readonly string[]): fc.Arbitrary<unknown> {
  const call = fc.constantFrom<unknown[]>(
    { kind: 'call', definition: 'child' },
    { kind: 'call', definition: 'child', inputs: { what: 'a: {{item}}' }, each: { list: '["a","b"]', max: 2 } },
  );
  return fc.record({ id: fc.constant(id), after: fc.constant([...above]), work: call, checks: fc.constant([]) });
}

const inputs = fc.constantFrom<unknown[]>(
  { what: { type: 'string', required: false } },
  { what: { type: 'string', required: true }, depth: { type: 'number', required: false, default: '2' } },
  { what: { type: 'boolean', required: false, default: 'true' } },
);

const child = workStep('only', []).map((step) => ({
  inputs: { what: { type: 'string' as const, required: false, default: 'no' } },
  steps: [step],
  artifacts: true,
  limits: { timeSeconds: 60 },
}));

/** The short form's shape, so that it is drawn often. */
const shortSteps = fc
  .record(
    {
      id: fc.constant('work'),
      after: fc.constant([]),
      work: fc.record({ kind: fc.constant('agent' as const), agent, prompt: text }),
      checks: fc.array(check, { minLength: 1, maxLength: 1 }),
      loop: fc.constantFrom<unknown[]>({}, { to: 'work', on: 'fail' }, { limit: 3 }, { limit: null }),
      retry,
      timeSeconds: seconds,
    },
    { requiredKeys: ['id', 'after', 'work', 'checks', 'loop'] },
  )
  .map((step) => ({ steps: [step], calls: false }));

const longSteps = fc
  .tuple(
    workStep('first', []),
    maybe(workStep('second', ['first'])),
    maybe(personStep('asks', ['first'])),
    callStep('calls', ['first']),
  )
  .map((steps) => ({ steps: steps.filter((step) => step !== undefined), calls: true }));

export const arbitraryDefinition: fc.Arbitrary<Definition> = fc
  .record(
    {
      name: text,
      project: fc.constant('web'),
      labels: fc.array(text, { maxLength: 2 }),
      inputs,
      steps: fc.oneof({ arbitrary: longSteps, weight: 3 }, { arbitrary: shortSteps, weight: 1 }),
      limits: partly({
        passes: fc.constantFrom(1, 7),
        timeSeconds: fc.constantFrom(3600, 90),
        deadlineSeconds: seconds,
        noProgress: fc.constantFrom(0, 4),
        feedbackChars: fc.constant(4000),
      }),
      onExhausted,
      workspace: partly({
        repo: fc.constantFrom('.', '../other', 'https://example.org/x.git'),
        base: text,
        protect: fc.constantFrom(['test/**'], ['*.md', 'a: b']),
        keep: fc.constant(['dist/x']),
        setup: shellText,
        envFiles: fc.constant(['.env']),
        afterwards: fc.constantFrom('keep' as const, 'remove' as const),
      }),
      baseline: fc.constantFrom('report' as const, 'off' as const, 'mustPass' as const),
      deliver: fc.constantFrom<unknown[]>(
        { mode: 'none' },
        { mode: 'branch', branch: 'work/{{run.id}}', title: 'A: title', body: 'Two\nlines' },
        { title: 'only a title' },
      ),
      keepBetweenRuns: fc.constant(['notes/*.md']),
      callback: fc.constantFrom(
        { url: 'https://ci.example/hook' },
        { url: 'https://ci.example/h', secret: 'env:HOOK' },
      ),
      handlers: fc.constantFrom<unknown[]>(
        { exit: { id: 'on-exit', after: [], work: { kind: 'run', command: 'echo {{run.status}}' }, checks: [] } },
        {
          success: { id: 'on-success', after: [], work: { kind: 'run', command: 'true' }, checks: [], timeSeconds: 5 },
        },
      ),
      on: fc.constant({
        schedule: { cron: ['0 6 * * 1-5', '@daily'], zone: 'Europe/Berlin', overlap: 'skip' as const },
      }),
    },
    { requiredKeys: ['steps'] },
  )
  .chain(({ steps: { steps, calls }, ...rest }) =>
    child.map((called) =>
      Definition.parse({ ...rest, steps, artifacts: true, ...(calls ? { children: { child: called } } : {}) }),
    ),
  );

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ScriptedModel } from './server.ts';

let model: ScriptedModel;
beforeEach(async () => {
  model = await ScriptedModel.start();
});
afterEach(() => model.stop());

/** One wire format: a request with `results` tool results after the prompt, and what its stream says. */
interface Wire {
  path: string;
  body(results: number, stream: boolean): unknown;
  /** The command of a tool call in an answer's text, with the end of the stream. */
  end: string;
}

const results = (count: number, one: unknown): unknown[] => Array.from({ length: count }, () => one);

const wires: Record<string, Wire> = {
  responses: {
    path: '/v1/responses',
    body: (count, stream) => ({
      model: 'm',
      stream,
      tools: [{ type: 'function', name: 'exec_command' }],
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
        ...results(count, { type: 'function_call_output', call_id: 'c', output: 'x' }),
      ],
    }),
    end: 'event: response.completed',
  },
  chat: {
    path: '/v1/chat/completions',
    body: (count, stream) => ({
      model: 'm',
      stream,
      tools: [{ type: 'function', function: { name: 'bash' } }],
      messages: [{ role: 'user', content: 'go' }, ...results(count, { role: 'tool', tool_call_id: 'c', content: 'x' })],
    }),
    end: 'data: [DONE]',
  },
  messages: {
    path: '/v1/messages',
    body: (count, stream) => ({
      model: 'm',
      stream,
      tools: [{ name: 'Bash' }],
      messages: [
        { role: 'user', content: 'go' },
        ...results(count, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] }),
      ],
    }),
    end: 'event: message_stop',
  },
  gemini: {
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: (count) => ({
      tools: [{ functionDeclarations: [{ name: 'run_shell_command' }] }],
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        ...results(count, { role: 'user', parts: [{ functionResponse: { name: 'run_shell_command', response: {} } }] }),
      ],
    }),
    end: '"finishReason":"STOP"',
  },
};

function post(scenario: string, wire: Wire, count = 0, stream = true): Promise<Response> {
  return fetch(model.url(scenario) + wire.path, { method: 'POST', body: JSON.stringify(wire.body(count, stream)) });
}

function wire(name: string): Wire {
  const found = wires[name];
  if (found === undefined) throw new TypeError(`no wire format ${name}`);
  return found;
}

describe.each(Object.keys(wires))('the wire format %s', (name) => {
  const one = wire(name);

  test('runs the given command by the agent’s own shell tool, then gives the final text', async () => {
    const scenario = `cmd-${Buffer.from('npm test').toString('hex')}`;
    const first = await (await post(scenario, one)).text();
    expect(first).toContain('npm test');
    expect(first).toContain(one.end);
    const second = await (await post(scenario, one, 1)).text();
    expect(second).toContain('Done: ran the command.');
    expect(second).toContain(one.end);
  });

  test('answers with text only', async () => {
    expect(await (await post('text', one)).text()).toContain('Just text, no tool.');
  });

  test('refuses a key, a rate with Retry-After, and a window with the time of its reset', async () => {
    expect((await post('e401', one)).status).toBe(401);
    const limited = await post('e429', one);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await (await post('e429-reset', one)).text()).toContain('resets 11:30pm (Europe/Berlin)');
  });

  test('cuts a stream that has begun', async () => {
    const response = await post('cut', one);
    await expect(response.text()).rejects.toThrow('terminated');
  });
});

test.each(['responses', 'chat', 'messages'])('%s answers whole when no stream was asked for', async (name) => {
  const response = await post('text', wire(name), 0, false);
  expect(JSON.stringify(await response.json())).toContain('Just text, no tool.');
});

describe('a staged scenario: the n-th start of an agent does a different thing', () => {
  const chat = wire('chat');
  const say = async (count: number): Promise<string> => (await post('staged', chat, count)).text();

  test('the first start fails the check, the second passes it, and the last one repeats', async () => {
    model.stage('staged', [
      { commands: ['echo bad > a', 'echo worse > a'], finalText: 'first' },
      { commands: ['echo good > a'], finalText: 'second' },
    ]);
    expect(await say(0)).toContain('echo bad');
    expect(await say(1)).toContain('echo worse');
    expect(await say(2)).toContain('first');
    expect(await say(0)).toContain('echo good');
    expect(await say(1)).toContain('second');
    expect(await say(0)).toContain('echo good');
    expect(model.starts('staged')).toBe(3);
    expect(model.requests.map((request) => request.start)).toEqual([1, 1, 1, 2, 2, 3]);
  });

  test('a start that was killed after its first command does not hold the next one back', async () => {
    model.stage('staged', [{ commands: ['sleep 300'] }, { finalText: 'again' }]);
    expect(await say(0)).toContain('sleep 300');
    expect(await say(0)).toContain('again');
  });

  test('a client’s retries of a refused request belong to the same start', async () => {
    model.stage('staged', [
      { failure: { kind: 'status', status: 429, type: 'rate_limit_error', message: 'wait', times: 3 } },
      { finalText: 'open again' },
    ]);
    for (let request = 1; request <= 3; request += 1) expect((await post('staged', chat)).status).toBe(429);
    expect(model.starts('staged')).toBe(1);
    expect(await say(0)).toContain('open again');
  });

  test('requests without tools (titles) are no start', async () => {
    model.stage('staged', [{ finalText: 'first' }, { finalText: 'second' }]);
    const title = { model: 'm', messages: [{ role: 'user', content: 'a title please' }] };
    const asked = await fetch(`${model.url('staged')}${chat.path}`, { method: 'POST', body: JSON.stringify(title) });
    expect(await asked.text()).toContain('Done.');
    expect(model.starts('staged')).toBe(0);
    expect(await say(0)).toContain('first');
  });
});

test('an unknown scenario or path is an error that names it', async () => {
  const unknown = await post('nonsense', wire('chat'));
  expect(unknown.status).toBe(404);
  expect(await unknown.text()).toContain('nonsense');
  expect((await fetch(`${model.url('ok')}/v1/else`)).status).toBe(404);
});

test('a request that is never answered ends with the server', async () => {
  const waiting = post('hang', wire('chat'));
  const ended = waiting.then(
    () => 'answered',
    () => 'cut off',
  );
  await model.requestsReach(1);
  await model.stop();
  expect(await ended).toBe('cut off');
  model = await ScriptedModel.start();
});

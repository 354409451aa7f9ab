import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, type Conversation, openStream, sendJson, usage, type WireFormat } from './conversation.ts';

const Item = z.object({ type: z.string().optional(), role: z.string().optional(), content: z.unknown().optional() });
const Body = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.object({ type: z.string(), name: z.string().optional() })).default([]),
  input: z.union([z.string(), z.array(Item)]),
});

/** OpenAI Responses, as Codex speaks it. */
export const responsesFormat: WireFormat = {
  serves: (path) => path.endsWith('/responses'),
  read(raw): Conversation {
    const body = Body.parse(raw);
    const items =
      typeof body.input === 'string' ? [{ type: 'message', role: 'user', content: body.input }] : body.input;
    const last = items.findLastIndex((item) => item.role === 'user');
    return {
      model: body.model,
      stream: body.stream,
      tools: body.tools.map((tool) => tool.name ?? tool.type),
      results: items.slice(last + 1).filter((item) => item.type?.endsWith('_output')).length,
      prompt: contentText(items[last]?.content),
      wantsJson: false,
    };
  },
  write(response, { model, stream }, answer) {
    const item = outputItem(answer);
    const whole = {
      id: `resp_${randomUUID()}`,
      object: 'response',
      created_at: 0,
      model,
      status: 'completed',
      output: [item],
      usage: tokens,
    };
    if (!stream) return sendJson(response, 200, whole);
    openStream(response);
    const event = (type: string, data: object): unknown =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    event('response.created', { response: { ...whole, status: 'in_progress', output: [] } });
    event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } });
    writeDelta(event, item, answer);
    event('response.output_item.done', { output_index: 0, item });
    event('response.completed', { response: whole });
    response.end();
  },
};

const tokens = {
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: usage.cached },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: usage.input + usage.output,
};

function outputItem(answer: Answer): { id: string } & Record<string, unknown> {
  const id = randomUUID();
  if (answer.kind === 'tool') {
    const { name, arguments: given } = answer;
    return {
      id: `fc_${id}`,
      type: 'function_call',
      call_id: `call_${id}`,
      name,
      arguments: JSON.stringify(given),
      status: 'completed',
    };
  }
  const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
  return { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
}

function writeDelta(event: (type: string, data: object) => unknown, { id }: { id: string }, answer: Answer): void {
  const at = { item_id: id, output_index: 0 };
  if (answer.kind === 'tool') {
    const given = JSON.stringify(answer.arguments);
    event('response.function_call_arguments.delta', { ...at, delta: given });
    event('response.function_call_arguments.done', { ...at, arguments: given });
    return;
  }
  event('response.output_text.delta', { ...at, content_index: 0, delta: answer.text });
  event('response.output_text.done', { ...at, content_index: 0, text: answer.text });
}

const Parts = z.array(z.object({ text: z.string().optional() }));

/** The text of a message's content, which is a string or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Parts.safeParse(content);
  return parts.success ? parts.data.map((part) => part.text ?? '').join('') : '';
}

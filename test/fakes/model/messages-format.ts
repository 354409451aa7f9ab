import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, type Conversation, openStream, sendJson, usage, type WireFormat } from './conversation.ts';
import { contentText } from './responses-format.ts';

const Part = z.object({ type: z.string(), text: z.string().optional() });
const Body = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.object({ name: z.string() })).default([]),
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(Part)]) })),
});
type Message = z.infer<typeof Body>['messages'][number];

/** Anthropic Messages, as Claude Code speaks it. Tool results are messages of the user here. */
export const messagesFormat: WireFormat = {
  serves: (path) => path.endsWith('/messages'),
  read(raw): Conversation {
    const body = Body.parse(raw);
    const last = body.messages.findLastIndex((message) => message.role === 'user' && !hasResult(message));
    return {
      model: body.model,
      stream: body.stream,
      tools: body.tools.map((tool) => tool.name),
      results: body.messages.slice(last + 1).filter(hasResult).length,
      prompt: contentText(body.messages[last]?.content),
      wantsJson: false,
    };
  },
  write(response, { model, stream }, answer) {
    const block = contentBlock(answer);
    const stopReason = answer.kind === 'tool' ? 'tool_use' : 'end_turn';
    const message = {
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [block],
      stop_reason: stopReason,
      stop_sequence: null,
      usage: tokens,
    };
    if (!stream) return sendJson(response, 200, message);
    openStream(response);
    const event = (type: string, data: object): unknown =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    event('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: { ...tokens, output_tokens: 1 } },
    });
    event('content_block_start', { index: 0, content_block: emptied(block) });
    event('content_block_delta', { index: 0, delta: deltaOf(answer) });
    event('content_block_stop', { index: 0 });
    event('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: usage.output },
    });
    event('message_stop', {});
    response.end();
  },
};

const tokens = {
  input_tokens: usage.input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cached,
  output_tokens: usage.output,
};

function hasResult({ role, content }: Message): boolean {
  return role === 'user' && typeof content !== 'string' && content.some((part) => part.type === 'tool_result');
}

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: object };

function contentBlock(answer: Answer): Block {
  if (answer.kind === 'text') return { type: 'text', text: answer.text };
  return { type: 'tool_use', id: `toolu_${randomUUID()}`, name: answer.name, input: answer.arguments };
}

function emptied(block: Block): Block {
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
}

function deltaOf(answer: Answer): object {
  if (answer.kind === 'text') return { type: 'text_delta', text: answer.text };
  return { type: 'input_json_delta', partial_json: JSON.stringify(answer.arguments) };
}

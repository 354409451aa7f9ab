import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Conversation, openStream, sendJson, usage, type WireFormat } from './conversation.ts';
import { contentText } from './responses-format.ts';

const Body = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
  messages: z.array(z.object({ role: z.string(), content: z.unknown().optional() })),
});

const tokens = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
};

/** OpenAI Chat Completions, as OpenCode, Pi and Copilot speak it. */
export const chatFormat: WireFormat = {
  serves: (path) => path.endsWith('/chat/completions'),
  read(raw): Conversation {
    const body = Body.parse(raw);
    const last = body.messages.findLastIndex((message) => message.role === 'user');
    return {
      model: body.model,
      stream: body.stream,
      tools: body.tools.map((tool) => tool.function.name),
      results: body.messages.slice(last + 1).filter((message) => message.role === 'tool').length,
      prompt: contentText(body.messages[last]?.content),
      wantsJson: false,
    };
  },
  write(response, { model, stream }, answer) {
    const base = { id: `chatcmpl-${randomUUID()}`, created: 0, model };
    const finish = answer.kind === 'tool' ? 'tool_calls' : 'stop';
    const said =
      answer.kind === 'text'
        ? { content: answer.text }
        : {
            tool_calls: [
              {
                index: 0,
                id: `call_${randomUUID()}`,
                type: 'function',
                function: { name: answer.name, arguments: JSON.stringify(answer.arguments) },
              },
            ],
          };
    if (!stream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: null, ...said }, finish_reason: finish }];
      return sendJson(response, 200, { ...base, object: 'chat.completion', choices, usage: tokens });
    }
    openStream(response);
    const chunk = (choices: unknown[], more: object = {}): unknown =>
      response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
    chunk([{ index: 0, delta: said, finish_reason: null }]);
    chunk([{ index: 0, delta: {}, finish_reason: finish }]);
    chunk([], { usage: tokens });
    response.end('data: [DONE]\n\n');
  },
};

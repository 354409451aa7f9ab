import { z } from 'zod';
import { type Conversation, openStream, sendJson, usage, type WireFormat } from './conversation.ts';

const Part = z.object({ text: z.string().optional(), functionResponse: z.unknown().optional() });
const Body = z.object({
  tools: z.array(z.object({ functionDeclarations: z.array(z.object({ name: z.string() })).default([]) })).default([]),
  contents: z.array(z.object({ role: z.string().optional(), parts: z.array(Part) })),
  generationConfig: z.object({ responseMimeType: z.string().optional() }).optional(),
});
type Content = z.infer<typeof Body>['contents'][number];

/** Gemini generateContent. Function results are contents of the user here. */
export const geminiFormat: WireFormat = {
  serves: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  read(raw, path): Conversation {
    const body = Body.parse(raw);
    const last = body.contents.findLastIndex((content) => content.role === 'user' && !hasResult(content));
    return {
      model: /\/models\/([^/:]+):/.exec(path)?.[1] ?? 'gemini',
      stream: path.includes(':stream'),
      tools: body.tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name)),
      results: body.contents.slice(last + 1).filter(hasResult).length,
      prompt: (body.contents[last]?.parts ?? []).map((part) => part.text ?? '').join(''),
      wantsJson: body.generationConfig?.responseMimeType === 'application/json',
    };
  },
  write(response, { model, stream }, answer) {
    const part =
      answer.kind === 'text' ? { text: answer.text } : { functionCall: { name: answer.name, args: answer.arguments } };
    const whole = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: usage.input,
        cachedContentTokenCount: usage.cached,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
      },
      modelVersion: model,
    };
    if (!stream) return sendJson(response, 200, whole);
    openStream(response);
    response.end(`data: ${JSON.stringify(whole)}\n\n`);
  },
};

function hasResult({ parts }: Content): boolean {
  return parts.some((part) => part.functionResponse !== undefined);
}

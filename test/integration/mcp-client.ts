import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** What a tool answered: its blocks of text, and the one in JSON. */
export interface ToolAnswer {
  isError: boolean;
  texts: string[];
  json: Readonly<Record<string, unknown>>;
}

/** The official client, connected to one door. */
export interface McpClient {
  client: Client;
  call(name: string, input?: object): Promise<ToolAnswer>;
  /** Asks, and confirms what would happen. */
  confirmed(name: string, input: object): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** As hosts of today connect, by the handshake; `auto` finds the newest revision that both speak. */
export async function connectMcp(transport: Transport, mode: 'legacy' | 'auto' = 'legacy'): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  const call: McpClient['call'] = async (name, input = {}) => {
    const result = await client.callTool({ name, arguments: { ...input } });
    const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    const found = texts.find((text) => text.startsWith('{'));
    const json = z.record(z.string(), z.unknown()).parse(found === undefined ? {} : JSON.parse(found));
    return { isError: result.isError === true, texts, json };
  };
  return {
    client,
    call,
    async confirmed(name, input) {
      const { isError, json, texts } = await call(name, input);
      if (isError) throw new TypeError(`${name} was refused: ${texts.join(' ')}`);
      return call(name, { ...input, confirm: json['confirm'] });
    },
    close: () => client.close(),
  };
}

/** By the HTTP door of an API. */
export function connectMcpHttp(url: string, token: string, mode: 'legacy' | 'auto' = 'legacy'): Promise<McpClient> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return connectMcp(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }), mode);
}

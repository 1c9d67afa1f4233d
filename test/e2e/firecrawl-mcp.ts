import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Served } from "./cli.ts";

/** firecrawl-mcp, unmodified, with an installation as its address. */

interface McpAnswer {
  isError: boolean;
  text: string;
}

export async function openFirecrawlMcp({ address, token }: Pick<Served, "address" | "token">) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, "../../node_modules/firecrawl-mcp/dist/index.js")],
      env: { PATH: process.env.PATH ?? "", FIRECRAWL_API_URL: address, FIRECRAWL_API_KEY: token },
    }),
  );
  const ask = async (name: string, given: Record<string, unknown>): Promise<McpAnswer> => {
    const answer = await client.callTool({ name, arguments: given });
    const [{ text = "" } = {}] = answer.content as { text?: string }[];
    return { isError: answer.isError === true, text };
  };
  /** Throws if the tool fails. */
  const call = async (name: string, given: Record<string, unknown>) => {
    const { isError, text } = await ask(name, given);
    if (isError) throw new Error(`${name}: ${text}`);
    return JSON.parse(text);
  };
  const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { ask, call, tools, close: () => client.close() };
}

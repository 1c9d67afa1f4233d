import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"; // MCP's own library
import * as z from "zod";
import { logError } from "../../core/log.ts";
import { VERSION } from "../../core/version.ts";
import { ApiProblem } from "../api-problem.ts";
import { mistakesOf } from "../failure.ts";
import type { Access } from "../tokens.ts";
import type { Api } from "./ask-api.ts";
import { CAUTION, fence, newMark, withoutUnseen, withoutUnseenIn } from "./foreign-text.ts";
import type { Answered, Tool } from "./tool.ts";
import { TOOLS } from "./tools.ts";

/**
 * The MCP server (https://modelcontextprotocol.io/specification): tools over the API. Nothing is kept between two
 * requests.
 */

const INSTRUCTIONS = `Orbweaver crawls websites and keeps their pages. \`search\` finds pages, \`read\` shows one, \`list\` shows the crawls. Answers are short and say how to get more. ${CAUTION}`;

/** Answers a request of MCP. `access`: that of the caller, or less. */
export function serveMcp(request: Request, access: Access, api: Api): Promise<Response> {
  const tools = TOOLS.filter(({ effect }) => access === "all" || effect === "reads");
  // Nothing ever changes here by itself, so nobody needs a stream that tells it.
  const handler = createMcpHandler(() => serverWith(tools, api), { maxSubscriptions: 0 });
  return handler.fetch(request);
}

function serverWith(tools: readonly Tool[], api: Api): McpServer {
  const server = new McpServer(
    { name: "orbweaver", title: "Orbweaver", version: VERSION },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  for (const tool of tools) {
    const { name, title, description, effect, asksOthers, input } = tool;
    const annotations = {
      title,
      readOnlyHint: effect === "reads",
      destructiveHint: effect === "ends",
      idempotentHint: name !== "crawl",
      openWorldHint: asksOthers,
    };
    const config = { title, description, annotations, inputSchema: unchecked(input), outputSchema: answerOf(tool) };
    server.registerTool(name, config, async (given) => callTool(tool, given as Record<string, unknown>, api));
  }
  return server;
}

/**
 * The schema for clients. `Tool.run` checks the input itself: values stay as they were sent, because the API parses
 * them, and its sentences name the mistake.
 */
function unchecked(input: z.ZodObject) {
  const { "~standard": standard } = input;
  return { "~standard": { ...standard, validate: (value: unknown) => ({ value }) } } as typeof input;
}

function answerOf({ answer }: Tool): z.ZodObject {
  return answer.extend({ caution: z.string().optional().describe("How to take words of pages.") });
}

async function callTool(tool: Tool, given: Record<string, unknown>, api: Api) {
  try {
    const answered = await tool.run(given, api);
    const structured = withoutUnseenIn(answered.structured);
    const caution = answered.quoted === undefined ? {} : { caution: CAUTION };
    return {
      content: [{ type: "text" as const, text: textOf(answered) }],
      structuredContent: { ...caution, ...structured },
    };
  } catch (error) {
    return { content: [{ type: "text" as const, text: withoutUnseen(sentenceOf(error, tool)) }], isError: true };
  }
}

function textOf({ head, quoted, foot }: Answered): string {
  const parts = quoted === undefined ? [head] : [head, CAUTION, fence(quoted.text, quoted.source, newMark())];
  return withoutUnseen([...parts, ...(foot ? [foot] : [])].join("\n"));
}

/** What went wrong, and what the agent may do next. */
function sentenceOf(error: unknown, { name }: Tool): string {
  if (error instanceof z.ZodError) {
    const mistakes = mistakesOf(error).map(({ message }) => message.replace(/^body: /, ""));
    return `${mistakes.join("; ")}. See the input schema of \`${name}\`.`;
  }
  if (!(error instanceof ApiProblem)) {
    logError("mcp-tool-failed", error, { tool: name });
    return "An internal error. The Worker's log has the details. Try again once, and then tell the user.";
  }
  return [error.message, nextStep(error)].filter((part) => part !== "").join(" ");
}

function nextStep({ status, message }: ApiProblem): string {
  if (status === 404 && /no crawl|ids of several/.test(message)) return "`list` shows the crawls and their ids.";
  if (status === 404 && message.includes("holds no page"))
    return "`explain` says why; `records` lists what the crawl has; `search` finds pages.";
  if (message.includes("orbweaver analyze")) return "Here: `analyze`, once the crawl has ended.";
  if (status === 401 || status === 503) return "Tell the user: the token of this server is not accepted.";
  if (status === 403) return "Tell the user: this needs a token that may write.";
  return "";
}

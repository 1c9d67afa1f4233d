import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { McpAnswer } from "./installation/send-request.ts";
import { eventData } from "./output/event-stream.ts";

/**
 * Carries messages of MCP between standard input and output, a line each, and the MCP server of an installation
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports). It understands of a message only what
 * HTTP needs.
 */

/** Sends one message, and reads the answer. Throws an error with a sentence where no answer of MCP came. */
export type Send = (
  message: string,
  init: { headers: Record<string, string>; signal: AbortSignal },
  read: (response: McpAnswer) => Promise<void>,
) => Promise<void>;

interface Message {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: string | number; _meta?: Record<string, unknown> };
}

const PARSE_ERROR = -32_700;
const INTERNAL_ERROR = -32_603;
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** How long requests that are under way may take when the input has ended. */
const LAST_ANSWERS_MS = 10_000;

/** Resolves when the input has ended, or `stop` says so, and all requests are answered. */
export async function bridge(input: Readable, output: Writable, send: Send, stop: AbortSignal): Promise<void> {
  const running = new Map<string | number, AbortController>();
  const pending = new Set<Promise<void>>();
  const write = (message: string) => void output.write(`${message}\n`);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const end = () => lines.close();
  stop.addEventListener("abort", end);
  // The client has gone.
  output.once("error", end);
  if (stop.aborted) end();

  const carry = async (line: string): Promise<void> => {
    const message = parse(line);
    if (message === null) return write(failure(null, PARSE_ERROR, "The line is no message of JSON-RPC."));
    const { id, method, params } = message;
    // The server asks nothing, so there is nothing to answer.
    if (method === undefined) return;
    if (method === "notifications/cancelled") return running.get(params?.requestId ?? "")?.abort();
    const controller = new AbortController();
    if (id != null) running.set(id, controller);
    try {
      await send(line, { headers: headersOf(message), signal: controller.signal }, async (response) => {
        for await (const answer of messagesIn(response)) if (id != null) write(answer);
      });
    } catch (error) {
      if (controller.signal.aborted) return;
      const sentence = error instanceof Error ? error.message : String(error);
      if (id == null) console.error(sentence);
      else write(refusal(id, method, sentence));
    } finally {
      if (id != null) running.delete(id);
    }
  };

  for await (const line of lines) {
    if (line.trim() === "") continue;
    const carried: Promise<void> = carry(line).finally(() => pending.delete(carried));
    pending.add(carried);
  }
  stop.removeEventListener("abort", end);
  const late = setTimeout(() => {
    for (const controller of running.values()) controller.abort();
  }, LAST_ANSWERS_MS);
  await Promise.all(pending);
  clearTimeout(late);
}

function parse(line: string): Message | null {
  try {
    const message = JSON.parse(line) as unknown;
    return typeof message === "object" && message !== null && !Array.isArray(message) ? message : null;
  } catch {
    return null;
  }
}

/** The headers of version 2026-07-28 repeat what the message says. Earlier versions need none. */
function headersOf({ method = "", params }: Message): Record<string, string> {
  const version = params?._meta?.[VERSION_KEY];
  if (typeof version !== "string") return {};
  const name = params?.name ?? params?.uri;
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": inHeader(name) } : {}),
  };
}

/** A header has only ASCII. */
function inHeader(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?")) return value;
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

async function* messagesIn(response: McpAnswer): AsyncGenerator<string> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    // An event without data keeps the connection open.
    for await (const data of eventData(response.body ?? new ReadableStream())) if (data !== "") yield oneLine(data);
    return;
  }
  const text = await response.text();
  if (text !== "") yield oneLine(text);
}

/** A message is a line. In JSON a line end is only ever white space. */
function oneLine(json: string): string {
  return json.replace(/[\r\n]+/g, " ");
}

/** An agent can act on the result of a tool; an error of the protocol is for the client. */
function refusal(id: string | number, method: string, sentence: string): string {
  if (method !== "tools/call") return failure(id, INTERNAL_ERROR, sentence);
  return JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: sentence }], isError: true } });
}

function failure(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

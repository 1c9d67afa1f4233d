import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Site, type SiteOptions, startSite } from "./site.ts";

/** A server that speaks OpenAI's chat completions, and misbehaves as it is told. */

export interface ModelCall {
  /** What stands in the fence. */
  page: string;
  /** All messages, and the whole body. */
  messages: { role: string; content: string }[];
  body: Record<string, unknown>;
  authorization: string | undefined;
  /** From 1 on. */
  nth: number;
}

export type ModelBehaviour =
  | { values: unknown; evidence?: unknown }
  /** The text of the answer as it is. */
  | { text: string; finish?: "stop" | "length" }
  | { status: number; retryAfter?: string; message?: string }
  /** The connection ends in the middle of the answer. */
  | { breaksOff: true }
  /** The whole body of the answer, whatever it is. */
  | { envelope: unknown }
  /** No answer comes. */
  | { silent: true };

export interface ModelServer extends Site {
  /** The MODEL_URL of an installation. */
  url: string;
  calls: ModelCall[];
}

export async function startModel(
  answer: (call: ModelCall) => ModelBehaviour | Promise<ModelBehaviour>,
  options: SiteOptions = {},
): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  const site = await startSite(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as ModelCall["body"];
    const messages = body.messages as ModelCall["messages"];
    const page = /<page (\w+)>\n([\s\S]*)\n<\/page \1>/.exec(messages[1]?.content ?? "")?.[2] ?? "";
    const call = { page, messages, body, authorization: request.headers.authorization, nth: calls.length + 1 };
    calls.push(call);
    if (request.url !== "/v1/chat/completions") response.writeHead(404).end();
    else await behave(await answer(call), response);
  }, options);
  return { ...site, url: `${site.origin}/v1`, calls };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  await once(request, "end");
  return text;
}

async function behave(behaviour: ModelBehaviour, response: ServerResponse): Promise<void> {
  const type = { "content-type": "application/json" };
  if ("silent" in behaviour) return;
  if ("status" in behaviour) {
    const { status, retryAfter, message = "no" } = behaviour;
    const headers = { ...type, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) };
    response.writeHead(status, headers).end(JSON.stringify({ error: { message } }));
    return;
  }
  if ("breaksOff" in behaviour) {
    response.writeHead(200, { ...type, "content-length": "5000" });
    response.write('{"choices": [{"message": {"content": "{');
    response.destroy();
    return;
  }
  if ("envelope" in behaviour) {
    response.writeHead(200, type).end(JSON.stringify(behaviour.envelope));
    return;
  }
  const isText = "text" in behaviour;
  const { values = null, evidence = [] } = isText ? {} : behaviour;
  const content = isText ? behaviour.text : JSON.stringify({ values, evidence });
  const finish_reason = isText ? (behaviour.finish ?? "stop") : "stop";
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason }];
  response.writeHead(200, type).end(JSON.stringify({ choices, usage: { prompt_tokens: 100, completion_tokens: 10 } }));
}

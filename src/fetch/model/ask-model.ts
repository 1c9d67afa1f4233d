import { estimateTokens } from "../../chunks/estimate-tokens.ts";
import { systemClock } from "../../core/clock.ts";
import type { ModelQuestion, ModelReply } from "../../extract/ask-for-values.ts";
import { retryAfterMs } from "../answer/retry-after.ts";
import { messageOf } from "../transport/http.ts";
import type { ModelSettings } from "./model-settings.ts";

/**
 * One question to the installation's model, by OpenAI's chat completions.
 * https://platform.openai.com/docs/api-reference/chat/create
 */

/** Tokens of an answer at most, unless MODEL_OPTIONS says otherwise. */
export const MAX_OUTPUT_TOKENS = 4_096;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_DETAIL = 300;
/** For an answer that comes from another path, or from another program. */
const WHERE = "MODEL_URL is the address up to /chat/completions, such as http://127.0.0.1:11434/v1";
/** Statuses of a server that may answer later. 408 and 409 are among those that OpenAI's own clients repeat. */
const LATER = [408, 409, 425, 429];

/** The body of a request. */
export function requestBody({ messages, schema }: ModelQuestion, { name, options }: ModelSettings): object {
  const body = {
    model: name,
    messages,
    stream: false,
    temperature: 0,
    max_tokens: MAX_OUTPUT_TOKENS,
    response_format: { type: "json_schema", json_schema: { name: "values", schema } },
    ...options,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** Tokens that a question may take at most: its own, as estimated, and those of the longest answer. */
export function mostTokens(question: ModelQuestion, { options }: ModelSettings) {
  const { max_tokens = MAX_OUTPUT_TOKENS, max_completion_tokens = max_tokens } = options;
  return {
    input: questionTokens(question),
    output: typeof max_completion_tokens === "number" ? max_completion_tokens : MAX_OUTPUT_TOKENS,
  };
}

function questionTokens({ messages, schema }: ModelQuestion): number {
  const text = messages.map(({ content }) => content).join("\n");
  return estimateTokens(text) + estimateTokens(JSON.stringify(schema));
}

/**
 * The operator has named the server, so it may have a private address. Redirects are not followed: the key goes to this
 * server alone. Never throws.
 */
export async function askModel(
  question: ModelQuestion,
  settings: ModelSettings,
  env: Pick<Env, "OPEN_NETWORK">,
): Promise<ModelReply> {
  const { url, key, timeoutMs } = settings;
  const network: Pick<Fetcher, "fetch"> = env.OPEN_NETWORK ?? globalThis;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await network.fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(requestBody(question, settings)),
      signal,
    });
    const text = await readText(response);
    if (response.ok) return readReply(text, question);
    const detail = describe(response.status, text, key);
    if (response.status < 500 && !LATER.includes(response.status)) return { kind: "refused", detail };
    const after = retryAfterMs(response.headers.get("retry-after"), systemClock.now());
    return { kind: "later", retryAfterMs: after, detail };
  } catch (error) {
    const detail = signal.aborted
      ? `the model did not answer within ${timeoutMs / 1_000} s`
      : `the model's server (MODEL_URL) could not be reached: ${describeBreak(error)}`;
    return { kind: "later", retryAfterMs: null, detail: conceal(detail, key) };
  }
}

/** workerd says the same of a port where nobody listens and of a connection that breaks off. */
function describeBreak(error: unknown): string {
  const message = messageOf(error).replace(/; reference = \S+/, "");
  return message.startsWith("Network connection lost") ? "connection refused or dropped" : message;
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`its answer has more than ${MAX_ANSWER_BYTES} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

interface Completion {
  choices?: { message?: { content?: unknown; refusal?: unknown }; finish_reason?: unknown }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
}

function readReply(written: string, question: ModelQuestion): ModelReply {
  let completion: Completion;
  try {
    completion = (JSON.parse(written) ?? {}) as Completion;
  } catch {
    const detail = /^\s*</.test(written)
      ? `the model's server answered with a page in place of JSON. ${WHERE}`
      : "the answer of the model's server broke off, or is no JSON";
    return { kind: "later", retryAfterMs: null, detail };
  }
  const choice = Array.isArray(completion.choices) ? completion.choices[0] : undefined;
  if (choice === undefined)
    return { kind: "refused", detail: `the model's server does not speak OpenAI's chat completions. ${WHERE}` };
  const { content } = choice.message ?? {};
  // A refusal is an answer too: it was paid for, and the model is asked once more.
  const text = typeof content === "string" ? content : content == null ? "" : JSON.stringify(content);
  const { prompt_tokens: input, completion_tokens: output } = completion.usage ?? {};
  const tokens = {
    input: isCount(input) ? input : questionTokens(question),
    output: isCount(output) ? output : estimateTokens(text),
  };
  return { kind: "answer", text, isCutOff: choice.finish_reason === "length", tokens };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** The server's own words may repeat the key. */
function describe(status: number, text: string, key: string | null): string {
  const quoted = /"message"\s*:\s*("(?:[^"\\]|\\.){1,400})/.exec(text)?.[1] ?? "";
  const said = withoutEnd(unquote(quoted));
  const where = status === 404 && !/model/i.test(said) ? `. ${WHERE}` : "";
  return conceal(`the model's server answered ${status}${said && ": "}${said}${where}`, key).slice(0, MAX_DETAIL);
}

/** The text of a JSON string without its closing quote, which may be cut off. */
function unquote(quoted: string): string {
  try {
    return quoted === "" ? "" : (JSON.parse(`${quoted}"`) as string);
  } catch {
    return quoted.slice(1);
  }
}

/** Sentences go on after it, or end. */
function withoutEnd(text: string): string {
  return text.trim().replace(/(?<!\.)\.+$/, "");
}

function conceal(text: string, key: string | null): string {
  return key === null ? text : text.replaceAll(key, "(key)");
}

import { readPrices } from "../../crawl/page/model-budget.ts";
import { DEFAULT_CHARACTERS } from "../../extract/page-text.ts";

/** The installation's model: any server that speaks OpenAI's chat completions. */

/** The variables that name it. */
export type ModelEnv = Pick<
  Env,
  "MODEL_URL" | "MODEL_KEY" | "MODEL" | "MODEL_OPTIONS" | "MODEL_CHARACTERS" | "MODEL_TIMEOUT_S" | "MODEL_PRICES"
>;

export interface ModelSettings {
  /** Where a question is sent. */
  url: string;
  /** Sent as a bearer token, to this URL alone; null for none. */
  key: string | null;
  name: string;
  /** Fields of the request, which replace ours. null leaves one out. */
  options: Readonly<Record<string, unknown>>;
  /** Characters of a page that it sees. */
  characters: number;
  timeoutMs: number;
}

const PATH = "/chat/completions";
const DEFAULT_TIMEOUT_S = 120;
const MIN_CHARACTERS = 200;
const MAX_CHARACTERS = 1_000_000;
const MAX_TIMEOUT_S = 600;

/** A string says why the variables cannot be used, for the operator. */
export function readModelSettings(env: ModelEnv): ModelSettings | string {
  const { MODEL_URL, MODEL_KEY, MODEL } = env;
  if (!MODEL_URL || !MODEL)
    return "This installation has no model: set MODEL_URL and MODEL (docs/extract.md), for example MODEL_URL=http://127.0.0.1:11434/v1 and MODEL=qwen3:8b for Ollama.";
  const url = URL.parse(MODEL_URL);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "")
    return "MODEL_URL of this installation is no http or https URL without a password.";
  const options = parseOptions(env.MODEL_OPTIONS);
  if (options === null) return "MODEL_OPTIONS of this installation is no JSON object.";
  const characters = numberIn(env.MODEL_CHARACTERS, DEFAULT_CHARACTERS, MIN_CHARACTERS, MAX_CHARACTERS);
  const timeoutS = numberIn(env.MODEL_TIMEOUT_S, DEFAULT_TIMEOUT_S, 1, MAX_TIMEOUT_S);
  if (characters === null)
    return `MODEL_CHARACTERS of this installation is no number from ${MIN_CHARACTERS} to ${MAX_CHARACTERS}.`;
  if (timeoutS === null) return `MODEL_TIMEOUT_S of this installation is no number from 1 to ${MAX_TIMEOUT_S}.`;
  if (env.MODEL_PRICES && readPrices(env.MODEL_PRICES) === null)
    return "MODEL_PRICES of this installation is not two prices in US dollars for a million tokens, such as 0.4,1.6.";
  const path = url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url.pathname;
  url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
  return { url: url.href, key: MODEL_KEY || null, name: MODEL, options, characters, timeoutMs: timeoutS * 1_000 };
}

/** Why the installation has no model, for the operator; null if it has one. */
export function modelProblemOf(env: ModelEnv): string | null {
  const settings = readModelSettings(env);
  return typeof settings === "string" ? settings : null;
}

function parseOptions(text = "{}"): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function numberIn(text: string | undefined, fallback: number, least: number, most: number): number | null {
  if (text === undefined || text === "") return fallback;
  const number = Number(text);
  return number >= least && number <= most ? number : null;
}

import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import { crawlRequest } from "../crawls/crawl-request.ts";
import { type CloudflareRequest, cloudflareRequest } from "./cloudflare-schemas.ts";

/** Messages in answers on Cloudflare's paths: differences from Cloudflare's answers, and parameters without effect. */

export interface Message {
  code: number;
  message: string;
}

const CODES = {
  rendering: 1001,
  ignored: 1002,
  "without-effect": 1003,
  fresh: 1004,
  format: 1005,
  page: 1006,
  webhook: 1007,
} as const;

/** Maximum number of names in a message, and maximum length of a name. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;
/** Maximum number of messages about pages without content. */
const MAX_PROBLEMS = 10;

/** Parameters of a browser that have no effect here. */
const FOR_BROWSERS = new Set([
  "actionTimeout",
  "addScriptTag",
  "addStyleTag",
  "allowRequestPattern",
  "allowResourceTypes",
  "bestAttempt",
  "browser",
  "emulateMediaType",
  "gotoOptions.referrerPolicy",
  "gotoOptions.waitUntil",
  "rejectRequestPattern",
  "rejectResourceTypes",
  "setJavaScriptEnabled",
  "viewport.deviceScaleFactor",
  "viewport.hasTouch",
  "viewport.isLandscape",
  "viewport.isMobile",
  "waitForSelector.hidden",
  "waitForSelector.timeout",
  "waitForSelector.visible",
  "waitForTimeout",
]);
/** Parameters that need a language model. */
const FOR_MODELS = new Set(["jsonOptions"]);

/** Objects with the keys that the API knows, by the name of the parameter. "" is the body. */
const KNOWN_KEYS: Record<string, object> = {
  "": cloudflareRequest.shape,
  options: crawlRequest.shape.options.unwrap().shape,
  politeness: crawlRequest.shape.politeness.unwrap().shape,
  traps: crawlRequest.shape.traps.unwrap().shape,
  renderOptions: crawlRequest.shape.renderOptions.unwrap().shape,
  viewport: cloudflareRequest.shape.viewport.unwrap().shape,
  waitForSelector: cloudflareRequest.shape.waitForSelector.unwrap().shape,
  gotoOptions: cloudflareRequest.shape.gotoOptions.unwrap().shape,
};

export function message(what: keyof typeof CODES, text: string): Message {
  return { code: CODES[what], message: text };
}

/** `body` is the JSON from which `request` was parsed. */
export function requestMessages(body: Record<string, unknown>, { formats }: CloudflareRequest): Message[] {
  const messages: Message[] = [];
  if (body.render !== false)
    messages.push(
      message(
        "rendering",
        "Only pages that are empty without their scripts are rendered; others are read as they come.",
      ),
    );
  const { browser = [], model = [], ignored = [] } = Object.groupBy(unknownKeys(body), kindOf);
  if (ignored.length > 0) messages.push(message("ignored", `Unknown parameters are ignored: ${listNames(ignored)}.`));
  if (browser.length > 0)
    messages.push(message("without-effect", `Without effect on the browser here: ${listNames(browser)}.`));
  const unused = ["viewport", "waitForSelector"].filter((name) => body.render === false && body[name] !== undefined);
  if (unused.length > 0)
    messages.push(message("without-effect", `Without effect, because no page is drawn: ${listNames(unused)}.`));
  if (model.length > 0)
    messages.push(message("without-effect", `Without effect, because it needs a language model: ${listNames(model)}.`));
  if (body.maxAge !== undefined)
    messages.push(message("fresh", 'Every page is fetched anew, so "maxAge" has no effect.'));
  if (formats.includes("html") && !formats.includes("rawHtml"))
    messages.push(
      message("format", '"html" is the main content of a page, "rawHtml" is the page as the server sent it.'),
    );
  if (formats.includes("json"))
    messages.push(message("format", '"json" is the metadata and the text of a page. No language model reads it.'));
  return messages;
}

export function recordMessages(records: FormattedRecord[]): Message[] {
  const without = records.filter(({ problem }) => problem !== null);
  return without
    .slice(0, MAX_PROBLEMS)
    .map(({ record, problem }) => message("page", `${record.url} comes without its content: ${problem}.`));
}

function unknownKeys(body: Record<string, unknown>): string[] {
  return Object.entries(KNOWN_KEYS).flatMap(([at, known]) => {
    const value = at === "" ? body : body[at];
    if (typeof value !== "object" || value === null) return [];
    const keys = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
    return keys.map((key) => (at === "" ? key : `${at}.${key}`));
  });
}

function kindOf(key: string): "browser" | "model" | "ignored" {
  return FOR_BROWSERS.has(key) ? "browser" : FOR_MODELS.has(key) ? "model" : "ignored";
}

export function listNames(names: string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH));
  return names.length > shown.length ? `${shown.join(", ")} and ${names.length - shown.length} more` : shown.join(", ");
}

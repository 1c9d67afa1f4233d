import { type CloudflareRequest, cloudflareRequest } from "./cloudflare-schemas.ts";
import { crawlRequest } from "./schemas.ts";

/** What an answer on Cloudflare's paths says beside its result: what is otherwise here than there, and what of the request has no effect. */

export interface Message {
  code: number;
  message: string;
}

const CODES = { static: 1001, unknown: 1002, "without-effect": 1003, fresh: 1004, format: 1005, page: 1006 } as const;

/** Of a body with thousands of keys, and of one name. */
const MOST_NAMED = 20;
const LONGEST_NAME = 64;

/** What a browser alone can do. */
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
  "viewport",
  "waitForSelector",
  "waitForTimeout",
]);
/** What a language model alone can do. */
const FOR_MODELS = new Set(["jsonOptions"]);

/** Keys by the object that they stand in; "" is the body. */
const KNOWN: Record<string, object> = {
  "": cloudflareRequest.shape,
  options: crawlRequest.shape.options.unwrap().shape,
  politeness: crawlRequest.shape.politeness.unwrap().shape,
  traps: crawlRequest.shape.traps.unwrap().shape,
  gotoOptions: cloudflareRequest.shape.gotoOptions.unwrap().shape,
};

export function message(what: keyof typeof CODES, text: string): Message {
  return { code: CODES[what], message: text };
}

/** `body` is what `request` was read from. */
export function requestMessages(body: Record<string, unknown>, { formats }: CloudflareRequest): Message[] {
  const messages: Message[] = [];
  if (body.render === undefined)
    messages.push(
      message("static", 'Pages are fetched as the servers send them, not rendered: as with "render": false.'),
    );
  const strange = strangeKeys(body);
  const { browser = [], model = [], unknown = [] } = Object.groupBy(strange, kindOf);
  if (unknown.length > 0) messages.push(message("unknown", `Not known here, and left out: ${list(unknown)}.`));
  if (browser.length > 0)
    messages.push(message("without-effect", `Without effect, for it needs a browser: ${list(browser)}.`));
  if (model.length > 0)
    messages.push(message("without-effect", `Without effect, for it needs a language model: ${list(model)}.`));
  if (body.maxAge !== undefined)
    messages.push(message("fresh", "Every page is fetched anew, which any maxAge permits."));
  if (formats.includes("html") && !formats.includes("rawHtml"))
    messages.push(message("format", '"html" is the main content of a page; "rawHtml" is the page as it was sent.'));
  if (formats.includes("json"))
    messages.push(message("format", '"json" is what a page says of itself, with its text; no model reads it.'));
  return messages;
}

function strangeKeys(body: Record<string, unknown>): string[] {
  return Object.entries(KNOWN).flatMap(([at, known]) => {
    const value = at === "" ? body : body[at];
    if (typeof value !== "object" || value === null) return [];
    const strange = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
    return strange.map((key) => (at === "" ? key : `${at}.${key}`));
  });
}

function kindOf(key: string): "browser" | "model" | "unknown" {
  return FOR_BROWSERS.has(key) ? "browser" : FOR_MODELS.has(key) ? "model" : "unknown";
}

export function list(names: string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => name.slice(0, LONGEST_NAME));
  return names.length > shown.length ? `${shown.join(", ")} and ${names.length - shown.length} more` : shown.join(", ");
}

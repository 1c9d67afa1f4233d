import type { CrawlOptions } from "../crawl/crawl-options.ts";
import { basicAuthorization, cookieHeader } from "./cloudflare-headers.ts";
import { list, type Message, message, requestMessages } from "./cloudflare-messages.ts";
import { type CloudflareRequest, cloudflareRequest } from "./cloudflare-schemas.ts";
import { type Installation, toOptions } from "./schemas.ts";

/** A body of Cloudflare's /crawl, turned into the crawl that it asks for and what is to be said about it. */

/** As `timeoutMs` has them. */
const LEAST_TIMEOUT_MS = 100;
const MOST_TIMEOUT_MS = 300_000;

/** Throws what is wrong with the body, as `crawlRequest.parse` and `toOptions` do. */
export function readCloudflareRequest(
  body: unknown,
  installation: Installation,
  now: number,
): { options: CrawlOptions; messages: Message[] } {
  const request = cloudflareRequest.parse(body);
  // It is an object: else it would not have parsed.
  const keys = body as Record<string, unknown>;
  const messages = requestMessages(keys, request);
  const { render: _, maxAge: _unused, setExtraHTTPHeaders, authenticate, cookies, gotoOptions, ...crawl } = request;
  const options = toOptions(crawl, installation);
  const { value: cookie, left } = cookieHeader(cookies, options.urls, now);
  if (left.length > 0) {
    const why = "they are not for the whole of every seed's origin, where alone they would go, or they have expired";
    messages.push(message("without-effect", `Cookies that are not sent, for ${why}: ${list(left)}.`));
  }
  const timeoutMs = keys.timeoutMs === undefined ? timeoutOf(gotoOptions) : null;
  return {
    options: {
      ...options,
      ...(timeoutMs === null ? {} : { timeoutMs }),
      // Of two of one name the later is sent: what is spelled out goes before what is worked out.
      headers: {
        ...(authenticate === undefined ? {} : { authorization: basicAuthorization(authenticate) }),
        ...(cookie === null ? {} : { cookie }),
        ...(gotoOptions.referer === undefined ? {} : { referer: gotoOptions.referer }),
        ...setExtraHTTPHeaders,
        ...options.headers,
      },
    },
    messages,
  };
}

function timeoutOf({ timeout }: CloudflareRequest["gotoOptions"]): number | null {
  if (timeout === undefined) return null;
  return timeout === 0 ? MOST_TIMEOUT_MS : Math.min(MOST_TIMEOUT_MS, Math.max(LEAST_TIMEOUT_MS, Math.round(timeout)));
}

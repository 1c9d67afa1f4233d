import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { OPTIONS } from "../../crawl/options/option-table.ts";
import type { PageActions } from "../../crawl/page/page-actions.ts";
import { type Installation, toOptions } from "../crawls/crawl-request.ts";
import { basicAuthorization, cookieHeader } from "./cloudflare-headers.ts";
import { listNames, type Message, message, requestMessages } from "./cloudflare-messages.ts";
import { type CloudflareRequest, cloudflareRequest } from "./cloudflare-schemas.ts";

/** Turns a body of Cloudflare's /crawl into the options of a crawl, and messages about the body. */

/** Throws for a wrong body, as `crawlRequest.parse` and `toOptions` do. */
export function readCloudflareRequest(
  body: unknown,
  installation: Installation,
  now: number,
): { options: CrawlOptions; messages: Message[] } {
  const request = cloudflareRequest.parse(body);
  // It parsed, so it is an object.
  const keys = body as Record<string, unknown>;
  const messages = requestMessages(keys, request);
  const {
    maxAge: _,
    setExtraHTTPHeaders,
    authenticate,
    cookies,
    gotoOptions,
    viewport,
    waitForSelector,
    ...crawl
  } = request;
  const options = toOptions(crawl, installation);
  const { value: cookie, left } = cookieHeader(cookies, options.urls, now);
  if (left.length > 0) {
    const why = "they have expired, or are not valid for the complete origin of every seed";
    messages.push(message("without-effect", `Cookies that are not sent, because ${why}: ${listNames(left)}.`));
  }
  if (options.webhook !== null)
    messages.push(
      message("webhook", `The secret of the webhook, which is shown here only: ${options.webhook.secret}.`),
    );
  const timeoutMs = keys.timeoutMs === undefined ? timeoutOf(gotoOptions) : null;
  return {
    options: {
      ...options,
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...(options.render === "never"
        ? {}
        : { renderOptions: actionsOf(options.renderOptions, viewport, waitForSelector) }),
      // A later header overrides an earlier one of the same name: headers of the request override those made here.
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

/** Cloudflare's own parameters override ours. */
function actionsOf(
  actions: PageActions,
  viewport: CloudflareRequest["viewport"],
  waitForSelector: CloudflareRequest["waitForSelector"],
): PageActions {
  return {
    ...actions,
    ...(waitForSelector === undefined ? {} : { waitFor: waitForSelector.selector }),
    ...(viewport === undefined ? {} : { viewport }),
  };
}

function timeoutOf({ timeout }: CloudflareRequest["gotoOptions"]): number | null {
  if (timeout === undefined) return null;
  const { min, max } = OPTIONS.timeoutMs;
  return timeout === 0 ? max : Math.min(max, Math.max(min, Math.round(timeout)));
}

import { describe, expect, it } from "vitest";
import { MAX_WALL_BYTES, mayBeWall, wallInBody, wallInHeaders } from "../../../src/fetch/answer/bot-wall.ts";

/** Challenges as the walls send them, shortened, and answers that only look like them. */

const HTML = { "content-type": "text/html; charset=utf-8" };
const JSON_TYPE = { "content-type": "application/json" };

const DATADOME = `<html lang="en"><head><title>a.test</title></head><body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p><script data-cfasync="false">var dd={'rt':'c','cid':'AHrl','hsh':'EC3A','t':'fe','host':'geo.captcha-delivery.com'}</script><script data-cfasync="false" src="https://ct.captcha-delivery.com/c.js"></script></body></html>`;
const HUMAN = `<!DOCTYPE html><html lang="en"><head><title>Access to this page has been denied.</title></head><body><div id="px-captcha"></div><script>window._pxAppId = 'PXabc12345'; window._pxJsClientSrc = '/abc12345/init.js';</script></body></html>`;
const HUMAN_JSON = `{"appId":"PXabc12345","jsClientSrc":"/abc/init.js","vid":"","uuid":"1","blockScript":"/abc/captcha/captcha.js?a=c&u=1&v=&m=0"}`;
const AKAMAI_JSON = `{"sec-cp-challenge": "true","provider":"crypto","branding_url_content":"/_sec/cp_challenge/crypto_message-4-3.htm","chlg_duration":30}`;
const AKAMAI = `<!DOCTYPE html><html><body><script src="/CtzWON35h/qtzwJC/FOg"></script><div id="sec-if-cpt-container" role="main" style="display: none"><div class="behavioral-content"><p class="scf-akamai-protected-by">Powered and protected by</p></div></div></body></html>`;
const AKAMAI_CRYPTO = `<!DOCTYPE html><html><head><link rel="stylesheet" href="/_sec/cp_challenge/sec-4-4.css"></head><body><div id="sec-container"></div></body></html>`;
const IMPERVA = `<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head><body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=7-76038078-0&incident_id=434000870345502677-416622015402874311&edet=12" frameborder=0>Request unsuccessful. Incapsula incident ID: 434000870345502677-416622015402874311</iframe></body></html>`;

type Answer = [what: string, status: number, headers: Record<string, string>, body: string];

/** As the fetcher asks: by headers, and then by the body of an error or of a page. */
function wallOf([, status, fields, body]: Answer): string | null {
  const answer = { status, headers: new Headers(fields) };
  const wall = wallInHeaders(answer);
  if (wall !== null) return wall;
  if (!mayBeWall(answer) && !(status >= 200 && status < 300)) return null;
  return wallInBody(answer, new TextEncoder().encode(body));
}

const CHALLENGES: [...Answer, wall: string][] = [
  ["a managed challenge", 403, { ...HTML, "cf-mitigated": "challenge", server: "cloudflare" }, "", "Cloudflare"],
  ["one with 429", 429, { ...HTML, "cf-mitigated": "challenge" }, "", "Cloudflare"],
  ["one with 503", 503, { ...HTML, "cf-mitigated": "challenge" }, "", "Cloudflare"],
  ["a silent challenge", 202, { ...HTML, "x-amzn-waf-action": "challenge" }, "", "AWS WAF"],
  ["a puzzle", 405, { ...HTML, "x-amzn-waf-action": "captcha" }, "", "AWS WAF"],
  ["a captcha by its header", 403, { ...HTML, "x-dd-b": "2" }, "", "DataDome"],
  ["an interstitial by its header", 403, { ...HTML, "x-dd-b": "1" }, "", "DataDome"],
  ["a slider", 403, HTML, DATADOME, "DataDome"],
  [
    "a device check",
    401,
    HTML,
    DATADOME.replace("ct.captcha-delivery.com/c.js", "ct.captcha-delivery.com/i.js"),
    "DataDome",
  ],
  ["press and hold", 403, HTML, HUMAN, "HUMAN"],
  ["a rate limit", 429, HTML, HUMAN, "HUMAN"],
  ["an answer for scripts", 403, JSON_TYPE, HUMAN_JSON, "HUMAN"],
  ["a proof of work for scripts", 428, JSON_TYPE, AKAMAI_JSON, "Akamai"],
  ["a proof of work", 428, HTML, AKAMAI_CRYPTO, "Akamai"],
  ["a behavioral challenge, called a page", 200, HTML, AKAMAI, "Akamai"],
  ["an iframe", 403, HTML, IMPERVA, "Imperva"],
  ["an iframe, called a page", 200, HTML, IMPERVA, "Imperva"],
  ["an iframe of no type", 403, {}, IMPERVA, "Imperva"],
];

describe.each(CHALLENGES)("%s (%d)", (...row) => {
  const [what, status, headers, body, wall] = row;
  it(`is a challenge of ${wall}`, () => expect(wallOf([what, status, headers, body])).toBe(wall));
});

const escaped = (html: string) => html.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const article = (code: string) =>
  `<html><head><title>How bot walls work</title></head><body><h1>DataDome, PerimeterX, Akamai, Imperva and Cloudflare</h1><p>Just a moment... Request unsuccessful. Incapsula incident ID: 1-2. Access to this page has been denied.</p><pre>${escaped(code)}</pre></body></html>`;

const OTHERS: Answer[] = [
  [
    "nginx's 403",
    403,
    HTML,
    "<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center></body></html>",
  ],
  [
    "a 503 for maintenance",
    503,
    { ...HTML, "retry-after": "120" },
    "<h1>Down for maintenance</h1><p>Just a moment...</p>",
  ],
  ["a 429 without more", 429, HTML, "Too Many Requests"],
  ["a 403 without a body", 403, HTML, ""],
  [
    "a block of Cloudflare",
    403,
    { ...HTML, server: "cloudflare" },
    "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>",
  ],
  ["an error of Cloudflare's edge", 403, { ...HTML, server: "cloudflare" }, "error code: 1020"],
  ["another value of Cloudflare's header", 403, { ...HTML, "cf-mitigated": "block" }, ""],
  [
    "a deny page of Akamai",
    403,
    { ...HTML, server: "AkamaiGHost" },
    '<TITLE>Access Denied</TITLE><H1>Access Denied</H1>You don\'t have permission to access "http://a.test/" on this server.<P>Reference #18.2d351ab8 https://errors.edgesuite.net/18',
  ],
  ["a block of AWS WAF", 403, HTML, "<html><head><title>403 Forbidden</title></head></html>"],
  ["a 202 of an API", 202, JSON_TYPE, '{"status":"accepted"}'],
  ["a 405 of an API", 405, JSON_TYPE, '{"message":"Method Not Allowed"}'],
  [
    "the site's own 403 behind DataDome",
    403,
    { ...HTML, "x-datadome": "protected", "set-cookie": "datadome=x" },
    "<h1>Please sign in</h1>",
  ],
  [
    "a page behind DataDome",
    200,
    { ...HTML, "x-datadome": "protected" },
    '<html><head><script>window.ddjskey = "1"; var ddoptions = {}</script><script src="https://js.datadome.co/tags.js"></script></head><body>Shop</body></html>',
  ],
  [
    "a page with HUMAN's sensor",
    200,
    { ...HTML, "set-cookie": "_pxhd=1" },
    `<html><body>Shop<script>window._pxAppId = 'PXabc12345';</script></body></html>`,
  ],
  [
    "a 403 with HUMAN's sensor",
    403,
    HTML,
    `<html><body>Sign in<script>window._pxAppId = 'PXabc12345';</script></body></html>`,
  ],
  [
    "a page with Akamai's sensor",
    200,
    { ...HTML, "set-cookie": "_abck=1; ak_bmsc=2" },
    '<html><body>Shop<script src="/akam/13/5e1b" defer></script></body></html>',
  ],
  [
    "a page behind Imperva",
    200,
    { ...HTML, "x-iinfo": "1-2-3", "x-cdn": "Imperva" },
    '<html><body>Shop<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script></body></html>',
  ],
  [
    "a page with a widget of Turnstile",
    200,
    { ...HTML, server: "cloudflare" },
    '<form><div class="cf-turnstile" data-sitekey="x"></div></form><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>',
  ],
  ["a plain text that quotes one", 403, { "content-type": "text/plain" }, IMPERVA],
  ["a large page with the parts of one", 200, HTML, `${"<p>words</p>".repeat(4_000)}${IMPERVA}`],
  ["a page with the parts of HUMAN's", 200, HTML, HUMAN],
  ["a 404 with the parts of one", 404, HTML, DATADOME],
];

describe.each(OTHERS)("%s (%d)", (...answer) => {
  it("is no challenge", () => expect(wallOf(answer)).toBeNull());
});

describe.each(CHALLENGES.filter(([, , , body]) => body !== ""))(
  "an article on %s (%d)",
  (what, status, headers, body) => {
    it("is no challenge, with any status", () => {
      for (const said of [200, 403, 503, status]) expect(wallOf([what, said, headers, article(body)])).toBeNull();
    });
  },
);

it("a body of bytes that are no text is none", () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i % 256);
  expect(wallInBody({ status: 403, headers: new Headers(HTML) }, bytes)).toBeNull();
  expect(wallInBody({ status: 403, headers: new Headers(HTML) }, new Uint8Array(MAX_WALL_BYTES + 1))).toBeNull();
});

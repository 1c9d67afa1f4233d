/**
 * Recognizes the challenges that bot walls send in place of a page, by signs that nothing else sends: a documented
 * header, or the wall's own scripts in a small answer. A page that mentions a wall is none, and neither is a plain 403.
 * A challenge is reported and never solved.
 */

export interface WallAnswer {
  status: number;
  headers: Pick<Headers, "get">;
}

/** The wall that says by a header that this is its challenge; null if none does. */
export function wallInHeaders({ status, headers }: WallAnswer): string | null {
  // https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
  if (headers.get("cf-mitigated")?.toLowerCase() === "challenge") return "Cloudflare";
  // https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html
  const action = headers.get("x-amzn-waf-action");
  if ((action === "challenge" && status === 202) || (action === "captcha" && status === 405)) return "AWS WAF";
  // 1 is an interstitial, 2 a captcha: https://docs.datadome.co/reference/validate-request
  if (status >= 400 && /^[12]$/.test(headers.get("x-dd-b") ?? "")) return "DataDome";
  return null;
}

/** Challenges are smaller. */
export const MAX_WALL_BYTES = 32_768;

const WALLED_STATUSES = new Set([401, 403, 405, 428, 429, 503]);

/** Whether the body of an answer with an error may be a challenge. */
export function mayBeWall({ status, headers }: WallAnswer): boolean {
  return WALLED_STATUSES.has(status) && isReadable(headers);
}

/** HTML or JSON, or what does not say what it is. */
function isReadable(headers: WallAnswer["headers"]): boolean {
  return /^(?:text\/html|application\/(?:xhtml\+xml|(?:[\w.-]+\+)?json))\b|^$/i.test(headers.get("content-type") ?? "");
}

/** All of these have to be in the body. */
interface Sign {
  wall: string;
  /** The wall sends it with a status of success too. */
  isAlsoPage?: true;
  marks: readonly RegExp[];
}

const SIGNS: readonly Sign[] = [
  {
    wall: "DataDome",
    marks: [/<script[^>]+src=["']https:\/\/(?:ct|geo)\.captcha-delivery\.com\/[ci]\.js/, /var dd\s*=\s*\{/],
  },
  {
    wall: "HUMAN",
    marks: [
      /<script[^>]*>[^<]*window\._pxAppId\s*=\s*["']PX\w+["']/,
      /<div[^>]+id=["']px-captcha["']|<script[^>]*>[^<]*\bpxCaptchaSrc\s*=/,
    ],
  },
  { wall: "HUMAN", marks: [/^\s*\{/, /"appId"\s*:\s*"PX\w+"/, /"blockScript"\s*:/] },
  { wall: "Akamai", marks: [/^\s*\{/, /"sec-cp-challenge"\s*:\s*"?true/] },
  {
    wall: "Akamai",
    isAlsoPage: true,
    marks: [/<div[^>]+id=["']sec-(?:if-cpt-)?container["']/, /class=["']behavioral-content|\/_sec\/cp_challenge\//],
  },
  {
    wall: "Imperva",
    isAlsoPage: true,
    marks: [/<iframe[^>]+src=["']\/_Incapsula_Resource\?[^"']*\bincident_id=/, /Incapsula incident ID: \d/],
  },
];

/** The wall whose challenge this body is; null if it is none's. `body` has at most MAX_WALL_BYTES, and is whole. */
export function wallInBody({ status, headers }: WallAnswer, body: Uint8Array): string | null {
  if (body.byteLength > MAX_WALL_BYTES || !isReadable(headers)) return null;
  const text = new TextDecoder().decode(body);
  const isPage = status >= 200 && status < 300;
  const sign = SIGNS.find(({ isAlsoPage, marks }) => (isAlsoPage || !isPage) && marks.every((mark) => mark.test(text)));
  return sign?.wall ?? null;
}

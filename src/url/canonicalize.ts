/** The canonical form of a URL: one spelling for each page. Nothing is removed that could select another page. */

/**
 * In characters. Scope refuses longer URLs (`too-long`): they are nearly always traps, and the ledger and the mirror
 * use URLs as keys.
 */
export const MAX_URL_LENGTH = 2048;

/**
 * Names of parameters that carry no content by convention, in lower case. The first are click and campaign identifiers,
 * which analytics, advertisers and mailers add. Names that a site might use for content (`ref`, `cid`, `source`) are
 * not listed. The last are session ids, after Heritrix's StripSessionIDs and StripSessionCFIDs; `classifyParameter` has
 * those with conditions.
 */
const NOISE = new Set(
  `gclid gclsrc gbraid wbraid dclid gad_source gad_campaignid srsltid _gl _ga fbclid igshid msclkid yclid ysclid ymclid _openstat
  twclid ttclid li_fat_id epik irclickid rb_clickid s_kwcid mc_cid mc_eid mkt_tok _hsenc _hsmi __hssc __hstc __hsfp hsctatracking
  vero_id vero_conv oly_anon_id oly_enc_id wickedid _branch_match_id pk_campaign pk_kwd
  mtm_campaign mtm_cid mtm_content mtm_group mtm_keyword mtm_medium mtm_placement mtm_source
  phpsessid jsessionid`.split(/\s+/),
);
const PREFIXES = ["utm_", "aspsessionid"];
const CONDITIONAL = ["sid", "cfid", "cftoken"];

/** The first letters of all these names: one look is enough for most parameters. */
const INITIALS = new Uint8Array(128);
for (const name of [...NOISE, ...PREFIXES, ...CONDITIONAL]) INITIALS[name.charCodeAt(0) | 0x20] = 1;

const SESSION_VALUE = /^[0-9a-f]{32}$/i;
/** ASP.NET's cookieless session, which is a path segment. */
const ASP_SEGMENT = /^\(S\([0-9a-z]{24}\)\)$/i;

/** RFC 3986 2.3. */
const UNRESERVED = new Set(
  Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", (char) => char.charCodeAt(0)),
);

/**
 * Resolves `href` against `base` (WHATWG URL) and removes the fragment, userinfo, the host name's trailing dot, an
 * empty query, tracking parameters and session ids. Escapes are normalised by RFC 3986 6.2.2.1-2 (upper-case hex;
 * unreserved characters decoded). The rest stays byte for byte: the order and spelling of other parameters, slashes,
 * the path's case, `www.`.
 *
 * Returns null if `href` does not parse, is not http or https, or has a host name with an empty label, which DNS cannot
 * hold. Idempotent. It accepts any length: `decideScope` refuses URLs longer than `MAX_URL_LENGTH`.
 */
export function canonicalize(href: string, base?: string | URL): string | null {
  // An absolute http(s) link does not depend on its base. Parsing the base is most of the cost.
  const absolute = base === undefined || href.startsWith("https://") || href.startsWith("http://");
  const parsed = absolute ? URL.parse(href) : URL.parse(href, base);
  if (parsed === null) return null;
  let url = parsed.href;
  if (!url.startsWith("https://") && !url.startsWith("http://")) return null;

  const fragmentAt = url.indexOf("#");
  if (fragmentAt !== -1) url = url.slice(0, fragmentAt);
  const hostAt = url.charCodeAt(4) === 58 /* : */ ? 7 : 8;
  let pathAt = url.indexOf("/", hostAt);
  const userinfoEnd = url.lastIndexOf("@", pathAt);
  if (userinfoEnd !== -1) {
    url = url.slice(0, hostAt) + url.slice(userinfoEnd + 1);
    pathAt -= userinfoEnd + 1 - hostAt;
  }
  const hostEnd = endOfHostname(url, pathAt);
  if (url.charCodeAt(hostEnd - 1) === 46 /* . */) {
    if (hostEnd - 1 === hostAt || url.charCodeAt(hostEnd - 2) === 46) return null;
    url = url.slice(0, hostEnd - 1) + url.slice(hostEnd);
    pathAt -= 1;
  }

  if (!url.includes("?", pathAt) && !url.includes("%", pathAt) && !url.includes(";", pathAt) && !url.includes("(S("))
    return url;

  // Escapes come first, because they may hide a parameter's name. They never decode into a delimiter.
  const tail = normalizeEscapes(url.slice(pathAt));
  const queryAt = tail.indexOf("?");
  const path = stripPathSession(queryAt === -1 ? tail : tail.slice(0, queryAt));
  const query = queryAt === -1 ? "" : stripParameters(tail.slice(queryAt + 1));
  return url.slice(0, pathAt) + (query === "" ? path : `${path}?${query}`);
}

/** The characters of a path that neither the URL standard's parser nor `canonicalize` changes. */
const PLAIN = new Uint8Array(128);
for (const code of UNRESERVED) PLAIN[code] = 1;
for (const char of "!$&'*+,=:@/") PLAIN[char.charCodeAt(0)] = 1;

/**
 * Whether the canonical URL contains this href unchanged, because it is an absolute path of plain characters. False
 * does not mean that it changes. Most links are such paths, and this check costs a tenth of parsing.
 */
export function isPlainPath(href: string): boolean {
  if (href.charCodeAt(0) !== 47 /* / */ || href.charCodeAt(1) === 47) return false;
  for (let at = 1; at < href.length; at++) {
    const code = href.charCodeAt(at);
    if (code > 127 || PLAIN[code] === 0) return false;
    // The parser removes segments of one or two dots.
    if (code === 46 /* . */ && href.charCodeAt(at - 1) === 47) return false;
  }
  return true;
}

/** The index of the port's colon, or of the path where there is no port. */
function endOfHostname(url: string, pathAt: number): number {
  let at = pathAt - 1;
  while (isDigit(url.charCodeAt(at))) at--;
  return url.charCodeAt(at) === 58 /* : */ ? at : pathAt;
}

function normalizeEscapes(text: string): string {
  let out = "";
  let done = 0;
  let next = 0;
  for (let at = text.indexOf("%"); at !== -1; at = text.indexOf("%", next)) {
    next = at + 1;
    if (!isHex(text.charCodeAt(at + 1)) || !isHex(text.charCodeAt(at + 2))) continue;
    next = at + 3;
    const written = text.slice(at, next);
    const code = Number.parseInt(written.slice(1), 16);
    const normal =
      UNRESERVED.has(code) && !completesEscape(text, at, code) ? String.fromCharCode(code) : written.toUpperCase();
    if (normal === written) continue;
    out += text.slice(done, at) + normal;
    done = next;
  }
  return done === 0 ? text : out + text.slice(done);
}

/** Whether decoding would complete a stray `%` before it: `%4%31` must not become `%41`, which is `A`. */
function completesEscape(text: string, at: number, code: number): boolean {
  if (!isHex(code)) return false;
  return text[at - 1] === "%" || (text[at - 2] === "%" && isHex(text.charCodeAt(at - 1)));
}

function stripPathSession(path: string): string {
  if (!path.includes(";") && !path.includes("(S(")) return path;
  const segments = path.split("/").map(stripJsessionid);
  return segments.filter((segment, at) => at === segments.length - 1 || !ASP_SEGMENT.test(segment)).join("/");
}

/**
 * Removes `;jsessionid=…` up to the next `;`. It stays where only a dot segment would remain, which the next parse
 * would resolve.
 */
function stripJsessionid(segment: string): string {
  if (!segment.includes(";")) return segment;
  const [name, ...parameters] = segment.split(";");
  const kept = parameters.filter((parameter) => parameter.slice(0, 11).toLowerCase() !== "jsessionid=");
  const stripped = [name, ...kept].join(";");
  return stripped === "." || stripped === ".." ? segment : stripped;
}

/**
 * Removes noise parameters from the raw query. Usually there are none; then it returns the same string and allocates
 * nothing.
 */
function stripParameters(query: string): string {
  let kept: string[] | null = null;
  let pair: boolean | null = null;
  for (let from = 0; from <= query.length; ) {
    const ampersand = query.indexOf("&", from);
    const to = ampersand === -1 ? query.length : ampersand;
    let noise = false;
    if (INITIALS[query.charCodeAt(from) | 0x20] === 1) {
      const kind = classifyParameter(query.slice(from, to));
      if (kind === "half") pair ??= hasColdFusionPair(query);
      noise = kind === "noise" || (kind === "half" && pair === true);
    }
    if (noise && kept === null) kept = from === 0 ? [] : query.slice(0, from - 1).split("&");
    else if (!noise && kept !== null) kept.push(query.slice(from, to));
    from = to + 1;
  }
  return kept === null ? query : kept.join("&");
}

/** `half` is noise only if the query has its other half too. */
function classifyParameter(parameter: string): "content" | "noise" | "half" {
  const equals = parameter.indexOf("=");
  const name = (equals === -1 ? parameter : parameter.slice(0, equals)).toLowerCase();
  if (name === "sid") return SESSION_VALUE.test(parameter.slice(4)) ? "noise" : "content";
  if (name === "cfid" || name === "cftoken") return "half";
  return NOISE.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix)) ? "noise" : "content";
}

function hasColdFusionPair(query: string): boolean {
  return /(?:^|&)cfid=/i.test(query) && /(?:^|&)cftoken=/i.test(query);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

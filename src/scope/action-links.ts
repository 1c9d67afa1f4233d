import { pathAndQueryOf } from "../url/host-key.ts";
import {
  BUY,
  DOING,
  EXPLAINING,
  LOG_OUT,
  OBJECTS,
  SENTENCE,
  TELLING,
  UNSUBSCRIBE,
  VERBS,
  WEAK_VERBS,
} from "./action-words.ts";

/**
 * Tells links that change something from links that lead to a page: log-outs, deletions, orders. By HTTP a GET is safe
 * (RFC 9110, section 9.2.1), and many sites do not keep to that. It is asked where a crawl is somebody: with a session.
 * In doubt a link is an action, because a page that is missed costs less than what is done in somebody's name.
 */

/** What a page says of a link, beside its URL. */
export interface ActionLink {
  /** Canonical. */
  url: string;
  /** Anchor text, white space collapsed. */
  text?: string;
  /** Relations, between spaces. */
  rel?: string;
  /** The attribute by which scripts do something else with it than to open it. Absent for none. */
  acts?: string;
}

/** Why it is an action, for people; null if it is none. */
export function findAction({ url, text = "", rel = "", acts }: ActionLink): string | null {
  return findActionUrl(url) ?? findActionText(url, text) ?? findActionRel(rel) ?? acts ?? null;
}

/** The same by a canonical URL alone. */
export function findActionUrl(url: string): string | null {
  const tail = pathAndQueryOf(url);
  const queryAt = tail.indexOf("?");
  const path = queryAt === -1 ? tail : tail.slice(0, queryAt);
  const segments = path
    .split("/")
    .filter((segment) => segment !== "")
    .map(readable);
  return findInPath(segments) ?? (queryAt === -1 ? null : findInQuery(tail.slice(queryAt + 1), segments));
}

/** A segment is read in words of at most this many. A longer name is a title. */
const MOST_WORDS = 4;
/** Segments of a URL that are looked at, from its end. */
const MOST_SEGMENTS = 12;
const MAX_SEGMENT = 100;
/** Programs of servers: where a path names one, it is no page that explains something. */
const PROGRAM = /\.(?:php\d?|aspx?|ashx|jsp|jspa|jspx|action|do|cgi|pl|cfm)$/i;
const PAGE = /\.(?:x?html?|md|txt|pdf)$/i;
/** A number, a UUID, a name with a number. */
const isId = (segment: string | undefined) => segment !== undefined && /\d/.test(segment) && /^[\w-]+$/.test(segment);

function findInPath(all: readonly string[]): string | null {
  const segments = all.slice(-MOST_SEGMENTS);
  const isProgram = PROGRAM.test(segments.at(-1) ?? "");
  if (!isProgram && segments.some((segment) => EXPLAINING.has(segment.toLowerCase()))) return null;
  const tells = !isProgram && segments.some((segment) => TELLING.has(segment.toLowerCase()));
  let before = "";
  for (const [i, segment] of segments.entries()) {
    const { words, joined } = wordsOf(segment);
    // `/cart/add`, and a program named without separators.
    if (isPhrase(joined) || BUY.has(before + joined) || (isProgram && actsOnObject(joined))) return segment;
    // `/wishlist/index/add`: the name of a program's part says nothing.
    if (joined !== "index") before = joined;
    if (words.length === 0 || words.length > MOST_WORDS || words.some((word) => SENTENCE.has(word))) continue;
    const ids = idsBeside(segments, i);
    if (isStrong(words)) return segment;
    if (tells && !ids.afterId && !ids.beforeId) continue;
    const place = { isLast: i === segments.length - 1, isProgram, ...ids };
    if (isVerb(words, joined, place)) return segment;
  }
  return null;
}

/** Names that mean an action wherever they stand: alone, or at either end of a name of few words. */
function isStrong(words: readonly string[]): boolean {
  if (words.length > 3) return false;
  for (let n = 1; n < words.length; n += 1) {
    const [first, last] = [words.slice(0, n).join(""), words.slice(-n).join("")];
    const [after, before] = [words.slice(n), words.slice(0, -n)];
    if (isPhrase(first) && after.every((word) => OBJECTS.has(word) || AROUND.has(word))) return true;
    if (isPhrase(last) && before.every((word) => OBJECTS.has(word) || AROUND.has(word))) return true;
  }
  return false;
}

/**
 * Words that stand beside a strong name: `/wp-logout`, `/sso-logout`, `/newsletter-unsubscribe`, `/logout-everywhere`.
 */
const AROUND = new Set(
  "wp sso saml oauth oidc cas user admin auth member customer front do ajax special account newsletter email mail one click confirm now everywhere all success callback submit process handler".split(
    " ",
  ),
);

function isPhrase(joined: string): boolean {
  return LOG_OUT.has(joined) || UNSUBSCRIBE.has(joined) || BUY.has(joined);
}

interface Place {
  isLast: boolean;
  isProgram: boolean;
  /** Whether the segment before names one thing, and the one after. */
  afterId: boolean;
  beforeId: boolean;
}

/** A verb alone at the end of a path, or beside a thing's id; or with what it acts on. */
function isVerb(words: readonly string[], joined: string, { isLast, isProgram, afterId, beforeId }: Place): boolean {
  if (VERBS.has(joined)) return isLast || afterId || beforeId;
  if (WEAK_VERBS.has(joined)) return isLast && afterId;
  const [first = "", ...rest] = words;
  if (words.length > 3 || words.length < 2) return false;
  const acts = VERBS.has(first) && rest.every((word) => OBJECTS.has(word));
  const isActed = VERBS.has(words.at(-1) ?? "") && words.slice(0, -1).every((word) => OBJECTS.has(word));
  return (acts || isActed) && (isLast || afterId || beforeId || isProgram);
}

/** `removepage`. */
function actsOnObject(joined: string): boolean {
  for (const verb of VERBS) if (joined.startsWith(verb) && OBJECTS.has(joined.slice(verb.length))) return true;
  return false;
}

function idsBeside(segments: readonly string[], at: number): Pick<Place, "afterId" | "beforeId"> {
  return { afterId: isId(segments[at - 1]), beforeId: isId(segments[at + 1]) };
}

function findInQuery(query: string, segments: readonly string[]): string | null {
  const explains = segments.some((segment) => EXPLAINING.has(segment.toLowerCase()));
  for (const [name, value] of new URLSearchParams(query.slice(0, 2_000))) {
    const key = wordsOf(name);
    const said = wordsOf(value.replace(/^.*[:/]/, ""));
    const shown = `${name}=${value}`.slice(0, MAX_SEGMENT);
    if (isPhrase(key.joined) || (VERBS.has(key.joined) && !explains)) return shown;
    if (isNamedAction(key) && !explains) return shown;
    const does = DOING.has(name.toLowerCase());
    const isVerbal = VERBS.has(said.joined) || WEAK_VERBS.has(said.joined);
    if (does && (isPhrase(said.joined) || (!explains && (isVerbal || isNamedAction(said))))) return shown;
    // index.php?title=Special:UserLogout of MediaWiki, ?q=user/logout of Drupal.
    if (!does && /[:/]/.test(value) && isPhrase(said.joined)) return shown;
  }
  return null;
}

/** A verb with what it acts on: `remove_item`, `delete-post`, `cart_add`. */
function isNamedAction({ words }: Words): boolean {
  if (isStrong(words)) return true;
  const [first = "", ...rest] = words;
  return words.length > 1 && words.length <= 3 && VERBS.has(first) && rest.every((word) => OBJECTS.has(word));
}

/**
 * The whole text names an action: “Log out”, “Delete”, “In den Warenkorb”. Where a site explains things it is a title.
 */
function findActionText(url: string, text: string): string | null {
  if (text.length === 0 || text.length > 40) return null;
  const { words, joined } = wordsOf(text);
  if (isPhrase(joined)) return isExplained(url) ? null : `“${text}”`;
  const [first = "", ...rest] = words;
  if (words.length === 0 || words.length > 3 || isExplained(url)) return null;
  const acts =
    VERBS.has(joined) || (VERBS.has(first) && rest.every((word) => OBJECTS.has(word) || DETERMINERS.has(word)));
  return acts && !isContent(url) ? `“${text}”` : null;
}

const DETERMINERS = new Set("this the my your it now als diesen dieses ce cette este esta".split(" "));

function findActionRel(rel: string): string | null {
  const found = rel
    .split(" ")
    .find((name) => isPhrase(wordsOf(name).joined) || name === "delete" || name === "edit-form");
  return found === undefined ? null : `rel=${found}`;
}

function isExplained(url: string): boolean {
  const segments = pathAndQueryOf(url).replace(/\?.*$/s, "").split("/").filter(Boolean);
  return !PROGRAM.test(segments.at(-1) ?? "") && segments.some((segment) => EXPLAINING.has(segment.toLowerCase()));
}

/** A file of text, or a title of several words, whatever the link to it is called. */
function isContent(url: string): boolean {
  const last = readable(pathAndQueryOf(url).replace(/\?.*$/s, "").split("/").filter(Boolean).at(-1) ?? "");
  return PAGE.test(last) || wordsOf(last).words.length > MOST_WORDS;
}

interface Words {
  words: readonly string[];
  /** All of them, without separators. */
  joined: string;
}

/** The words of a name: between separators, and at capital letters. Without the extension, and without accents. */
function wordsOf(name: string): Words {
  const bare = name.slice(0, MAX_SEGMENT).replace(PROGRAM, "").replace(PAGE, "");
  const words = bare
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, (mark) => (/[\u0300-\u036f]/.test(mark) ? "" : mark))
    .normalize("NFC")
    .replace(/ß/g, "ss")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  return { words, joined: words.join("") };
}

function readable(segment: string): string {
  try {
    return decodeURIComponent(segment.slice(0, 4 * MAX_SEGMENT));
  } catch {
    return segment;
  }
}

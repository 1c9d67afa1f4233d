/** What a page says, in fingerprints, with and without what its URL says already. */

import { pathAndQueryOf } from "../url/host-key.ts";
import { calendarNames } from "./calendar-names.ts";
import { fingerprintOf } from "./known-words.ts";
import { addressShape, lineShape, type Shape } from "./number-shapes.ts";
import { groupsOf } from "./url-groups.ts";

/** A fingerprint as written, and one with `@` in place of the words and numbers of the page's URL. */
export type Said = readonly [written: number, masked: number];

export interface PageSayings {
  /** Of the URL, and of the URL as one that says nothing. */
  page: number;
  mute: number;
  hasQuery: boolean;
  lines: readonly SaidLine[];
  /** Links that leave the group of the page. */
  links: readonly SaidLink[];
  /** Fingerprints of the links that stay in the group. */
  inside: readonly number[];
  /** The pictures that it shows. */
  pictures: readonly SaidAddress[];
  /** Fingerprint of the title as written. */
  title: number;
}

interface SaidLine {
  said: Said;
  /** Null for a line without a number. */
  shape: Shape | null;
  /** Of a line with words and a number that is not in the URL; null for all others. */
  fact: number | null;
  /** Words that are neither numbers nor in the URL. */
  words: readonly number[];
}

export interface SaidAddress {
  said: Said;
  /** Null for an address without a number in its query. */
  shape: Shape | null;
}

export interface SaidLink extends SaidAddress {
  /** The groups of its target, the narrowest first. */
  groups: readonly string[];
}

interface ReadPage {
  url: string;
  title: string | null;
  /** A line per block, of the whole page. */
  text: string;
  links: readonly string[];
  pictures: readonly string[];
}

const MAX_CHARACTERS = 60_000;
const MAX_LINES = 1_000;
/** Links of which it is asked whether they stay in the group, and how many of each kind count. */
const MAX_LOOKED = 5_000;
const MAX_LINKS = 300;
const MAX_PICTURES = 100;
const TOKENS = /\p{L}[\p{L}\p{M}]*|\p{N}+/gu;
const MASK = "@";

/** The fingerprint of a page that was judged and said nothing. */
export function muteOf(url: string): number {
  return fingerprintOf(`mute ${url}`);
}

/** `isInside`: whether a link with these groups stays in the page's group. */
export function sayingsOf(
  { url, title, text, links, pictures }: ReadPage,
  isInside: (link: string, groups: readonly string[]) => boolean,
): PageSayings {
  const looked = links.slice(0, MAX_LOOKED).map((link) => ({ link, groups: groupsOf(link) }));
  const { inside = [], outside = [] } = Object.groupBy(looked, ({ link, groups }) =>
    isInside(link, groups) ? "inside" : "outside",
  );
  const { search } = new URL(url);
  const echoes = echoesOf(url);
  for (const { link } of inside.slice(0, MAX_LINKS)) addEchoes(tokensOf(addressOf(link)), echoes);
  // Titles are compared with titles: other pages may have named the page before, in their links.
  const titled = title === null ? [] : [`title ${title}`];
  const written = text.slice(0, MAX_CHARACTERS).split("\n").slice(0, MAX_LINES);
  return {
    page: fingerprintOf(`page ${url}`),
    mute: muteOf(url),
    hasQuery: search !== "",
    lines: [...titled, ...written].flatMap((line) => lineSaid(line, echoes) ?? []),
    links: outside.slice(0, MAX_LINKS).map(({ link, groups }) => ({ ...addressSaid(link, echoes), groups })),
    inside: inside.slice(0, MAX_LINKS).map(({ link }) => fingerprintOf(`address ${link}`)),
    pictures: pictures.slice(0, MAX_PICTURES).map((picture) => addressSaid(picture, echoes)),
    title: fingerprintOf(title ?? ""),
  };
}

/** Null for a line without words and numbers. */
function lineSaid(line: string, echoes: ReadonlySet<string>): SaidLine | null {
  const tokens = tokensOf(line);
  if (tokens.length === 0) return null;
  const masked = tokens.map((token) => (echoes.has(token) ? MASK : token));
  const left = masked.join(" ");
  return {
    said: [fingerprintOf(tokens.join(" ")), fingerprintOf(left)],
    shape: lineShape(line),
    fact: masked.some(isNumber) && masked.some(isWord) ? fingerprintOf(`fact ${left}`) : null,
    words: masked.filter(isWord).map((word) => fingerprintOf(`word ${word}`)),
  };
}

/**
 * An address is as new as it is written, and one with a query as new as what is left of it without the page's own
 * address: `/login?return=…`, or a picture that is drawn for each value.
 */
function addressSaid(address: string, echoes: ReadonlySet<string>): SaidAddress {
  const written = fingerprintOf(`address ${address}`);
  if (!address.includes("?")) return { said: [written, written], shape: null };
  const left = tokensOf(decode(address)).filter((token) => !echoes.has(token));
  const said: Said = [written, fingerprintOf(`address ${[...new Set(left)].join(" ")}`)];
  return { said, shape: addressShape(address) };
}

function tokensOf(text: string): string[] {
  return text.toLowerCase().match(TOKENS) ?? [];
}

function isNumber(token: string): boolean {
  return /^\p{N}/u.test(token);
}

function isWord(token: string): boolean {
  return token !== MASK && !isNumber(token);
}

/**
 * The words and numbers of a URL, the numbers before and after each, as next pages have them, and, if it has numbers,
 * the names of months and days, which a calendar makes of them.
 */
function echoesOf(url: string): Set<string> {
  const echoes = new Set<string>();
  let hasNumber = false;
  const tokens = tokensOf(addressOf(url));
  addEchoes(tokens, echoes);
  for (const token of tokens) {
    if (!isNumber(token) || token.length > 12) continue;
    hasNumber = true;
    const number = Number(token);
    for (const near of [number - 1, number + 1]) {
      echoes.add(String(near));
      echoes.add(String(near).padStart(2, "0"));
    }
  }
  if (hasNumber) for (const name of calendarNames()) echoes.add(name);
  return echoes;
}

function addEchoes(tokens: readonly string[], echoes: Set<string>): void {
  for (const token of tokens) {
    echoes.add(token);
    if (token.startsWith("0") && isNumber(token)) echoes.add(token.replace(/^0+(?=.)/, ""));
  }
}

/** Path and query as people read them. */
function addressOf(url: string): string {
  return decode(pathAndQueryOf(url));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/**
 * A site that is as unkind to a watch as real ones are. Each class of pages is a site by itself, with a host of its
 * own: its pages say something (their states), and answer with noise around it. Days are counted from its beginning.
 */
import { randomFrom } from "../freshness/random.ts";

/** What a page says from a day on. `says`: null while the page is gone. */
export interface State {
  from: number;
  says: string | null;
}

export interface Ask {
  /** A fraction of a day is the time of day. */
  day: number;
  /** Counts all requests to the site. */
  number: number;
  cookie: string | null;
  ifNoneMatch: string | null;
  ifModifiedSince: string | null;
  /** Of this request alone. */
  random: () => number;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  html?: string;
  /** Whether it stands in the place of the page. Answers with another status than 200 do. */
  isOther?: boolean;
}

export interface UnkindPage {
  path: string;
  /** Ordered by day; the first is from day 0. */
  states: readonly State[];
  answer(ask: Ask): Answer;
}

export interface UnkindSite {
  pages: readonly UnkindPage[];
  /** Paths that are no page of the site: log-ins, maintenance. */
  answerOther?: (path: string, ask: Ask) => Answer;
}

export interface Draw {
  /** The number of pages. */
  pages: number;
  days: number;
  random: () => number;
}

export interface UnkindClass {
  name: string;
  build(draw: Draw): UnkindSite;
}

/** What the pages of a site have around their content. */
export interface Page {
  title: string;
  main: string;
  /** Above the content. */
  banner?: string;
  /** Beside the content. */
  aside?: string;
  footer?: string;
}

export type Layout = (page: Page) => string;

const NOUNS =
  "valve bridge harbour teacher river engine garden ledger signal mountain printer window council market bicycle " +
  "kitchen archive lantern orchard satellite station theatre village workshop bakery canal forest glacier library";
const VERBS = "opens carries follows needs reaches joins supports replaces protects feeds measures repairs covers";
const ADJECTIVES =
  "old quiet broad northern copper careful modern hidden public steep warm narrow early common simple distant";

export function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T;
}

export function word(random: () => number): string {
  return pick(NOUNS.split(" "), random);
}

export function sentence(random: () => number): string {
  const [noun, other, third] = [word(random), word(random), word(random)];
  const [adjective, second] = [pick(ADJECTIVES.split(" "), random), pick(ADJECTIVES.split(" "), random)];
  const verb = pick(VERBS.split(" "), random);
  return pick(
    [
      `The ${adjective} ${noun} ${verb} the ${other} beside the ${second} ${third}.`,
      `Each ${noun} of the ${adjective} ${other} ${verb} a ${third}.`,
      `Where the ${noun} ${verb} its ${second} ${other}, a ${adjective} ${third} remains.`,
      `In the ${third} nobody knows which ${noun} ${verb} the ${adjective} ${other}.`,
    ],
    random,
  );
}

export function paragraph(random: () => number, sentences = 4): string {
  return `<p>${Array.from({ length: sentences }, () => sentence(random)).join(" ")}</p>`;
}

export function paragraphs(random: () => number, count: number): string {
  return Array.from({ length: count }, () => paragraph(random, 3 + Math.floor(random() * 3))).join("\n");
}

export function nameOf(random: () => number): string {
  const first = pick(ADJECTIVES.split(" "), random);
  return `${first[0]?.toUpperCase()}${first.slice(1)} ${word(random)} ${100 + Math.floor(random() * 900)}`;
}

/** Names and texts of its pages, the same for one seed. */
export function content(random: () => number): { name: string; text: (from?: number) => string } {
  const name = nameOf(random);
  const seed = Math.floor(random() * 2 ** 31);
  const count = 2 + Math.floor(random() * 4);
  return { name, text: (version = 0) => paragraphs(randomFrom(seed + version), count) };
}

/** Four ways to build a page, two of which name nothing. */
export function layoutOf(random: () => number): Layout {
  const site = nameOf(random);
  const menu = Array.from({ length: 5 }, () => word(random));
  const links = `<ul>${menu.map((entry, at) => `<li><a href="/#part-${at}">${entry}</a></li>`).join("")}</ul>`;
  const about = sentence(random);
  const layouts: ((page: Required<Page>) => string)[] = [
    ({ main, banner, aside, footer }) =>
      `<header><p>${site}</p><nav>${links}</nav></header>${banner}<main><article>${main}</article></main><aside>${aside}</aside><footer><p>© ${site}. ${about}</p>${footer}</footer>`,
    ({ main, banner, aside, footer }) =>
      `<div class="a1"><div class="b2">${site}</div><div class="b3">${links}</div></div>${banner}<div class="c4"><div class="c5">${main}</div><div class="c6">${aside}</div></div><div class="d7"><p>© ${site}. ${about}</p>${footer}</div>`,
    ({ main, banner, aside, footer }) =>
      `<div id="page"><div id="head"><h2>${site}</h2>${links}</div>${banner}<div id="content">${main}</div><div id="sidebar">${aside}</div><div id="foot"><p>${about}</p>${footer}</div></div>`,
    ({ main, banner, aside, footer }) =>
      `<table><tr><td colspan="2">${site} ${links}</td></tr><tr><td>${banner}${main}</td><td>${aside}</td></tr><tr><td colspan="2"><p>${about}</p>${footer}</td></tr></table>`,
  ];
  const layout = pick(layouts, random);
  return ({ title, main, banner = "", aside = "", footer = "" }) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} | ${site}</title></head><body>` +
    `${layout({ title, main, banner, aside, footer })}</body></html>`;
}

/** A site in which each page is made by itself. `page` gives a page's states and its answer. */
export function siteOf(
  { pages, random }: Draw,
  page: (at: number, random: () => number, layout: Layout) => Omit<UnkindPage, "path">,
  answerOther?: UnkindSite["answerOther"],
): UnkindSite {
  const layout = layoutOf(random);
  const made = Array.from({ length: pages }, (_, at) => ({
    path: `/p/${at}-${word(random)}`,
    ...page(at, random, layout),
  }));
  return { pages: made, ...(answerOther === undefined ? {} : { answerOther }) };
}

/** The state of a page on a day. */
export function stateOn(states: readonly State[], day: number): State {
  return states.findLast(({ from }) => from <= day) ?? (states[0] as State);
}

export function saysOn(states: readonly State[], day: number): string {
  return stateOn(states, day).says ?? "";
}

/** States that follow one another after times that `lasts` draws, in days. */
export function turns(
  days: number,
  lasts: (at: number) => number,
  says: (at: number) => string | null,
  begin = 0,
): State[] {
  const states: State[] = [{ from: 0, says: says(0) }];
  let day = begin;
  for (let at = 1; ; at++) {
    day += lasts(at - 1);
    if (day >= days) return states;
    states.push({ from: day, says: says(at) });
  }
}

/** Edits of a text: some `mean` days apart, numbered from 0. */
export function edits(days: number, mean: number, random: () => number): State[] {
  return turns(
    days,
    () => mean * (0.4 + 1.2 * random()),
    (at) => String(at),
    random() * mean * 0.5,
  );
}

export function ok(html: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers, html };
}

/** A page whose text is edited now and then. */
export interface EditedPage {
  at: number;
  name: string;
  layout: Layout;
  states: readonly State[];
  /** The page of a day, with what a class puts around its text. */
  show(day: number, around?: Partial<Page>): string;
  /** Its text of a day, a paragraph a line. */
  text(day: number): string;
}

/** A site of pages that are edited some `mean` days apart. */
export function editedSite(
  draw: Draw,
  mean: number,
  answer: (page: EditedPage, ask: Ask) => Answer,
  answerOther?: UnkindSite["answerOther"],
): UnkindSite {
  return siteOf(
    draw,
    (at, random, layout) => {
      const { name, text } = content(random);
      const states = edits(draw.days, mean, random);
      const textOf = (day: number) => text(Number(saysOn(states, day)));
      const show = (day: number, around: Partial<Page> = {}) =>
        layout({ title: name, main: `<h1>${name}</h1>${textOf(day)}`, ...around });
      const page = { at, name, layout, states, text: textOf, show };
      return { states, answer: (ask) => answer(page, ask) };
    },
    answerOther,
  );
}

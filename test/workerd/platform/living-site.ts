import { type DocumentDrawn, drawLivingDocument } from "./living-document.ts";
import type { Random } from "./random.ts";
import type { Answer } from "./web.ts";

/**
 * A site that changes while a watch visits it: pages and documents say something else, go, come back, move and break,
 * servers fail, and robots.txt forbids. Its first page always answers, and links to every page there is.
 */

type State =
  /** `document`: null for an HTML page. `failures`: requests of the document that do not get it whole. */
  | { kind: "page"; text: string; document: DocumentDrawn | null; failures: number }
  | { kind: "noindex"; text: string }
  | { kind: "gone"; status: 404 | 410 }
  | { kind: "moved"; target: string }
  | { kind: "broken"; how: Answer };

interface Page {
  state: State;
  /** When the state began, in virtual time. */
  since: number;
  /** Requests of the page before its state began; null until it is requested. */
  firstAttempt: number | null;
  /** All texts that it has said, in their order. */
  texts: string[];
  /** Whether its bytes differ at each request. */
  isNoisy: boolean;
  isDocument: boolean;
  hasTag: boolean;
  links: string[];
  headersMs: number;
}

const BROKEN: readonly Answer[] = [
  { kind: "status", status: 500 },
  { kind: "status", status: 503 },
  { kind: "status", status: 403 },
  { kind: "reset" },
  { kind: "silence", headersMs: Number.POSITIVE_INFINITY },
];
/** What all URLs of a host answer in an outage. */
const OUTAGES: readonly Answer[] = [...BROKEN, { kind: "status", status: 404 }];

export class LivingSite {
  readonly hosts: string[];
  readonly pages = new Map<string, Page>();
  readonly outages = new Map<string, Answer>();
  readonly forbidden = new Set<string>();
  readonly #random: Random;
  #texts = 0;

  constructor(random: Random, now: number) {
    this.#random = random;
    this.hosts = Array.from({ length: random.between(1, 3) }, (_, i) => `w${i}.test`);
    for (let size = random.between(4, 12); size > 0; size--) this.add(now);
  }

  get home(): string {
    return `https://${this.hosts[0]}/`;
  }

  /** The URL of the page that is added after `n` others. */
  urlOf(n: number): string {
    return n === 0 ? this.home : `https://${this.hosts[n % this.hosts.length]}/${wordOf(n)}`;
  }

  add(now: number): void {
    const random = this.#random;
    const n = this.pages.size;
    const url = this.urlOf(n);
    const [isNoisy, hasTag] = [random.chance(0.3), random.chance(0.7)];
    const isDocument = n > 0 && random.chance(0.25);
    const links = n === 0 ? [] : [random.oneOf([...this.pages.keys()])];
    const page: Page = {
      ...{ state: { kind: "gone", status: 404 }, since: now, texts: [], firstAttempt: null },
      ...{ isNoisy, isDocument, hasTag, links },
      headersMs: random.between(20, 400),
    };
    this.pages.set(url, page);
    this.#set(page, n === 0 ? "page" : random.oneOf(["page", "page", "page", "page", "gone", "moved", "broken"]), now);
    // The first page lists the new one, so it says something else.
    const home = this.pages.get(this.home);
    if (n > 0 && home !== undefined) this.#set(home, "page", now);
  }

  /** Something changes. */
  edit(now: number): void {
    const random = this.#random;
    const kind = random.oneOf([
      "page",
      "page",
      "page",
      "page",
      "gone",
      "gone",
      "moved",
      "broken",
      "noindex",
      "add",
    ] as const);
    if (kind === "add") {
      this.add(now);
      return;
    }
    const pages = [...this.pages].filter(([url]) => url !== this.home || kind === "page");
    this.#set(random.oneOf(pages)[1], kind, now);
  }

  /** From now on all of a host's pages fail. */
  breakHost(): void {
    this.outages.set(this.#random.oneOf(this.hosts), this.#random.oneOf(OUTAGES));
  }

  forbidHost(): void {
    const host = this.hosts.at(-1);
    // The first page must stay to be read.
    if (host !== undefined && this.hosts.length > 1) this.forbidden.add(host);
  }

  /** A page of a host that answers, and may be asked. Null for one that must not or cannot be read. */
  stateOf(url: string): State | null {
    const { hostname } = new URL(url);
    if (this.outages.has(hostname) || this.forbidden.has(hostname)) return null;
    return this.pages.get(url)?.state ?? null;
  }

  /** The other pages of its host that are redirects to the same page. */
  countAlike(url: string): number {
    const { hostname } = new URL(url);
    const moved = [...this.pages].filter(([, { state }]) => state.kind === "moved").map(([one]) => one);
    return moved.filter((one) => one !== url && new URL(one).hostname === hostname).length;
  }

  /** A `Web`. */
  readonly answer = (url: string, attempt: number): Answer => {
    const { hostname, pathname } = new URL(url);
    if (pathname === "/robots.txt") return { kind: "robots", forbids: this.forbidden.has(hostname) };
    const outage = this.outages.get(hostname);
    if (outage !== undefined) return outage;
    if (url === `${this.home}sitemap.xml`) return this.#sitemap();
    const page = this.pages.get(url);
    if (page === undefined) return { kind: "status", status: 404 };
    const { state, isNoisy, hasTag, headersMs } = page;
    if (state.kind === "broken") return state.how;
    if (state.kind === "gone") return { kind: "status", status: state.status, headersMs };
    if (state.kind === "moved") return { kind: "redirect", target: state.target, headersMs };
    const { text } = state;
    if (state.kind === "page" && state.document !== null) {
      page.firstAttempt ??= attempt;
      const end = attempt - page.firstAttempt < state.failures ? state.document.end : "whole";
      const noise = isNoisy ? wordOf(attempt) : "";
      return { ...state.document, kind: "document", text, noise, end, links: page.links, headersMs };
    }
    const said = {
      body: `${text}\n${isNoisy ? wordOf(attempt) : ""}`,
      etag: isNoisy || !hasTag ? null : `"${text}"`,
      links: url === this.home ? [...this.pages.keys()] : page.links,
      text,
      headersMs,
    };
    return { kind: "page", ...said, ...(state.kind === "noindex" ? { noindex: "meta robots" } : {}) };
  };

  #sitemap(): Answer {
    const pages = [...this.pages].filter(([, { state }]) => state.kind === "page");
    return {
      kind: "sitemap",
      pages: pages.map(([url]) => url),
      lastmods: new Map(pages.map(([url, { since }]) => [url, since])),
    };
  }

  #set(page: Page, kind: State["kind"], now: number): void {
    const random = this.#random;
    page.since = now;
    page.firstAttempt = null;
    if (kind === "gone") page.state = { kind, status: random.oneOf([404, 410] as const) };
    else if (kind === "broken") page.state = { kind, how: this.#drawBroken(page) };
    else if (kind === "moved") page.state = { kind, target: this.home };
    else {
      const text = this.#newText();
      if (kind === "noindex") page.state = { kind, text };
      else {
        const document = page.isDocument ? drawLivingDocument(random, false) : null;
        page.state = { kind, text, document, failures: random.between(0, 2) };
        page.texts.push(text);
      }
    }
  }

  /** A document may also be one that nobody can read. */
  #drawBroken({ isDocument }: Page): Answer {
    const random = this.#random;
    if (!isDocument || random.chance(0.5)) return random.oneOf(BROKEN);
    const drawn = { ...drawLivingDocument(random, true), end: "whole" as const };
    return { ...drawn, kind: "document", text: this.#newText(), links: [] };
  }

  /** Letters, because numbers are masked. */
  #newText(): string {
    this.#texts += 1;
    return `text ${wordOf(this.#texts)}`;
  }
}

/** A word for each number. */
function wordOf(n: number): string {
  const letters = n < 26 ? "" : wordOf(Math.floor(n / 26) - 1);
  return letters + String.fromCharCode(97 + (n % 26));
}

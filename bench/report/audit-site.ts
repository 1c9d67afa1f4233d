import { type DefaultTreeAdapterTypes, parse } from "parse5";
import type { FindingKind } from "../../src/graph/problems/finding.ts";
import type { PlantedSite, Site } from "./plant-faults.ts";

/**
 * A second audit of a site by its files: another parser (parse5) and rules written anew from docs/analysis.md. What a
 * report of the same site has beside it is false or has a cause of its own, and what it lacks was missed.
 */

/** The kinds that the files alone settle. Of the others, this says nothing. */
export const AUDITED = [
  ...["title-missing", "title-duplicate", "description-missing", "description-duplicate", "h1-missing", "h1-multiple"],
  ...["h1-long", "h1-duplicate", "image-alt-missing", "noindex-page", "robots-page", "canonical-multiple"],
  ...["canonical-external", "canonical-broken", "canonical-redirect", "canonical-noindex", "canonical-loop"],
  ...["canonical-chain", "hreflang-broken", "hreflang-no-return", "hreflang-not-canonical", "sitemap-missing"],
  ...["sitemap-not-canonical", "sitemap-broken", "sitemap-redirect", "sitemap-noindex", "broken-link"],
  ...["broken-fragment", "broken-resource", "redirect", "redirect-chain", "redirect-loop", "broken-redirect"],
  ...["orphan-page", "unreachable-page", "deep-page", "large-page"],
] as FindingKind[];

/** Of these a page may have several, each with its target. */
const BY_TARGET = new Set<string>(["broken-link", "broken-fragment", "broken-resource"]);

/** `page` and `target`: paths, with the query and fragment of the target. */
export function findingKey(kind: string, page: string, target = ""): string {
  return BY_TARGET.has(kind) ? `${kind} ${page} ${target.replaceAll(" ", "%20")}` : `${kind} ${page}`;
}

const ORIGIN = "http://manual.test";
/** So many clicks are deep. */
const DEEP = 4;
const LONG_HEADING = 70;
const FOLLOWED = ["next", "prev", "alternate", "canonical"];

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

interface Page {
  title: string;
  description: string;
  headings: string[];
  unlabelled: number;
  noindex: boolean;
  nofollow: boolean;
  canonicals: string[];
  alternates: string[];
  links: { url: string; fragment: string; nofollow: boolean }[];
  /** What `link` elements name and a crawler follows: no links of a reader. */
  named: string[];
  resources: string[];
  ids: Set<string>;
  bytes: number;
}

/** The keys of all findings that a report of the site should have, a crawl of all its pages from `/` on. */
export function auditSite({ site, listed, robots }: PlantedSite): Set<string> {
  const audit = new Audit(site, listed, robots);
  audit.crawl();
  return audit.findings();
}

class Audit {
  readonly #site: Site;
  readonly #listed: Set<string>;
  readonly #forbidden: string[];
  readonly #pages = new Map<string, Page>();
  readonly #clicks = new Map<string, number>();
  readonly #found = new Set<string>();
  readonly #redirected = new Set<string>();
  /** URLs that were met, with the pages that link there. */
  readonly #met = new Map<string, Set<string>>();

  constructor(site: Site, listed: readonly string[], robots: string) {
    this.#site = site;
    this.#listed = new Set(listed);
    this.#forbidden = [...robots.matchAll(/^Disallow: (\S+)/gm)].map(([, path]) => path as string);
  }

  crawl(): void {
    const queue = ["/"];
    this.#clicks.set("/", 0);
    const seen = new Set(queue);
    let isOfSitemap = false;
    for (;;) {
      for (const url of queue) {
        const answer = this.#answer(url);
        if (this.#isForbidden(url)) continue;
        const target = answer?.location === undefined ? null : pathOf(answer.location, url);
        if (target !== null) {
          this.#meet(target.url, null);
          this.#redirected.add(target.url);
        }
        const page = answer?.status === 200 && isHtml(answer.type) ? readPage(answer.body, url) : null;
        if (page !== null) this.#pages.set(url, page);
        const next = target === null ? (page?.links.filter(({ nofollow }) => !nofollow) ?? []) : [target];
        for (const name of page?.named ?? []) {
          if (name.startsWith("//")) continue;
          this.#meet(name, null);
          if (!seen.has(name)) queue.push(name);
          seen.add(name);
        }
        const clicks = this.#clicks.get(url);
        for (const link of next) {
          if (link.url === url) continue;
          if (target === null) this.#meet(link.url, url);
          const own = clicks === undefined ? undefined : clicks + (target === null ? 1 : 0);
          if (own !== undefined && own < (this.#clicks.get(link.url) ?? Number.POSITIVE_INFINITY))
            this.#clicks.set(link.url, own);
          if (seen.has(link.url)) continue;
          seen.add(link.url);
          queue.push(link.url);
        }
      }
      if (isOfSitemap) break;
      isOfSitemap = true;
      queue.splice(0, queue.length, ...[...this.#listed].filter((path) => !seen.has(path)));
      for (const path of queue) seen.add(path);
    }
  }

  findings(): Set<string> {
    const sizes = [...this.#pages.values()].map(({ bytes }) => bytes).sort((a, b) => a - b);
    const at = (share: number) => sizes[Math.floor((sizes.length - 1) * share)] ?? 0;
    const large = sizes.length < 20 ? 2e6 : Math.min(2e6, Math.max(5e5, at(0.95), 4 * at(0.5)));
    for (const [url, page] of this.#pages) this.#judgePage(url, page, large);
    for (const url of new Set([...this.#met.keys(), ...this.#listed])) this.#judgeUrl(url);
    return this.#found;
  }

  #judgePage(url: string, page: Page, large: number): void {
    for (const link of page.links) this.#judgeLink(url, link);
    const judged = page.noindex ? [] : [...page.canonicals.slice(0, 1), ...page.alternates];
    for (const name of page.named)
      if (!judged.includes(name) && this.#followed(name) === null) this.#tell("broken-link", url, name);
    if (page.noindex) return;
    const [canonical = url] = page.canonicals;
    if (canonical === url) {
      const mine = [...this.#pages].filter(
        ([other, { canonicals, noindex }]) => !noindex && (canonicals[0] ?? other) === other,
      );
      const shares = (of: (page: Page) => string) => mine.filter(([, other]) => of(other) === of(page)).length > 1;
      if (page.title === "") this.#tell("title-missing", url);
      else if (shares(({ title }) => title)) this.#tell("title-duplicate", url);
      if (page.description === "") this.#tell("description-missing", url);
      else if (shares(({ description }) => description)) this.#tell("description-duplicate", url);
      const [first = ""] = page.headings;
      if (page.headings.length === 0 || (page.headings.length === 1 && first === "")) this.#tell("h1-missing", url);
      if (page.headings.length > 1) this.#tell("h1-multiple", url);
      if (first.length > LONG_HEADING) this.#tell("h1-long", url);
      if (first !== "" && shares(({ headings }) => headings[0] ?? "")) this.#tell("h1-duplicate", url);
      if (!this.#listed.has(url)) this.#tell("sitemap-missing", url);
    } else this.#judgeCanonical(url, canonical);
    if (new Set(page.canonicals).size > 1) this.#tell("canonical-multiple", url);
    if (page.unlabelled > 0) this.#tell("image-alt-missing", url);
    for (const target of page.resources)
      if (this.#endOf(target) === "broken") this.#tell("broken-resource", url, target);
    for (const other of page.alternates) this.#judgeAlternate(url, other);
    const sources = [...(this.#met.get(url) ?? [])].filter((source) => source !== url);
    const clicks = this.#clicks.get(url);
    const hasInLinks = sources.length > 0 || this.#redirected.has(url);
    if (url !== "/" && !hasInLinks && this.#listed.has(url)) this.#tell("orphan-page", url);
    else if (clicks === undefined && hasInLinks) this.#tell("unreachable-page", url);
    if (clicks !== undefined && clicks > DEEP) this.#tell("deep-page", url);
    if (page.bytes > large) this.#tell("large-page", url);
  }

  #judgeLink(from: string, { url, fragment, nofollow }: Page["links"][number]): void {
    const target = this.#followed(url);
    if (target === null) this.#tell("broken-link", from, url);
    else if (!nofollow && isPlace(fragment)) {
      const ids = this.#pages.get(target)?.ids;
      const isNoindex = this.#pages.get(target)?.noindex === true;
      if (ids !== undefined && !isNoindex && !ids.has(decode(fragment)) && !ids.has(fragment))
        this.#tell("broken-fragment", from, `${url}#${fragment}`);
    }
  }

  #judgeCanonical(url: string, canonical: string): void {
    if (this.#listed.has(url)) this.#tell("sitemap-not-canonical", url);
    if (canonical.startsWith("//")) {
      this.#tell("canonical-external", url);
      return;
    }
    const answer = this.#answer(canonical);
    const page = this.#pages.get(canonical);
    if (this.#isForbidden(canonical)) return;
    if (answer?.location !== undefined) this.#tell("canonical-redirect", url);
    else if (answer === undefined || answer.status >= 400) this.#tell("canonical-broken", url);
    else if (page?.noindex) this.#tell("canonical-noindex", url);
    else if (page?.canonicals[0] === url) this.#tell("canonical-loop", url);
    else if (page?.canonicals[0] !== undefined && page.canonicals[0] !== canonical) this.#tell("canonical-chain", url);
  }

  #judgeAlternate(url: string, other: string): void {
    if (other === url || other.startsWith("//") || this.#isForbidden(other)) return;
    const answer = this.#answer(other);
    const page = this.#pages.get(other);
    if (answer === undefined || answer.status >= 300) this.#tell("hreflang-broken", url);
    else if (page === undefined || page.noindex) return;
    else if (page.canonicals[0] !== undefined && page.canonicals[0] !== other)
      this.#tell("hreflang-not-canonical", url);
    else if (!page.alternates.includes(url)) this.#tell("hreflang-no-return", url);
  }

  #judgeUrl(url: string): void {
    const isListed = this.#listed.has(url);
    const page = this.#pages.get(url);
    if (this.#isForbidden(url)) {
      this.#tell("robots-page", url);
      if (isListed) this.#tell("sitemap-noindex", url);
      return;
    }
    if (page?.noindex) {
      this.#tell("noindex-page", url);
      if (isListed) this.#tell("sitemap-noindex", url);
    }
    const answer = this.#answer(url);
    if (isListed && (answer === undefined || answer.status >= 400)) this.#tell("sitemap-broken", url);
    if (answer?.location === undefined) return;
    if (isListed) this.#tell("sitemap-redirect", url);
    const linked = (this.#met.get(url)?.size ?? 0) > 0;
    const isTarget = [...this.#site].some(([from, { location }]) => from !== url && location === url);
    if (!linked && isTarget) return;
    const hops = this.#hops(url);
    const end = this.#followed(url);
    if (new Set(hops).size < hops.length) this.#tell("redirect-loop", url);
    else if (end === null) this.#tell("broken-redirect", url);
    else this.#tell(hops.length > 2 ? "redirect-chain" : "redirect", url);
  }

  /** The URL and those that it redirects to, until one has been there. */
  #hops(url: string): string[] {
    const hops = [url];
    for (;;) {
      const at = hops.at(-1) as string;
      const location = this.#answer(at)?.location;
      const next = location === undefined ? null : pathOf(location, at);
      if (next === null) return hops;
      const isLoop = hops.includes(next.url);
      hops.push(next.url);
      if (isLoop) return hops;
    }
  }

  /** Where redirects end; null where nothing can be read. */
  #followed(url: string): string | null {
    const hops = this.#hops(url);
    const end = hops.at(-1) as string;
    if (new Set(hops).size < hops.length) return null;
    return this.#endOf(end) === "broken" ? null : end;
  }

  #endOf(url: string): "broken" | "read" {
    const end = this.#hops(url).at(-1) as string;
    if (end.startsWith("//") || this.#isForbidden(end)) return "read";
    const answer = this.#answer(end);
    return answer === undefined || answer.status >= 400 ? "broken" : "read";
  }

  #answer(url: string) {
    return this.#site.get(fileOf(url));
  }

  #isForbidden(url: string): boolean {
    return this.#forbidden.some((path) => url.startsWith(path));
  }

  #meet(url: string, from: string | null): void {
    const sources = this.#met.get(url) ?? new Set();
    if (from !== null) sources.add(from);
    this.#met.set(url, sources);
  }

  #tell(kind: FindingKind, page: string, target?: string): void {
    this.#found.add(findingKey(kind, page, target));
  }
}

/** A URL of the site is a path with its query. One of another host begins with two slashes. Null if it is no URL. */
function pathOf(href: string, page: string, base = ""): { url: string; fragment: string } | null {
  const root = new URL(page, ORIGIN);
  const url = URL.parse(href.trim(), base === "" ? root : new URL(base, root));
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const fragment = url.hash.slice(1);
  const path = url.origin === ORIGIN ? url.pathname + url.search : `//${url.host}${url.pathname}`;
  return { url: path, fragment };
}

/** The name by which a site has what answers a URL. */
export function fileOf(url: string): string {
  return decode(url.split("?")[0] as string);
}

function readPage(html: string | Uint8Array, url: string): Page {
  const text = typeof html === "string" ? html : new TextDecoder().decode(html);
  const page: Page = {
    ...{ title: "", description: "", headings: [], unlabelled: 0, noindex: false, nofollow: false, canonicals: [] },
    ...{ alternates: [], links: [], named: [], resources: [], ids: new Set(), bytes: Buffer.byteLength(text) },
  };
  const elements = [...elementsOf(parse(text))];
  const base = elements.find(({ tagName }) => tagName === "base");
  const resolve = (href: string) => pathOf(href, url, base === undefined ? "" : (attribute(base, "href") ?? ""));
  let hasTitle = false;
  for (const element of elements) {
    const get = (name: string) => attribute(element, name);
    const rel = (get("rel") ?? "").toLowerCase().split(/\s+/);
    const id = get("id");
    if (id !== null) page.ids.add(id);
    const name = get("name");
    if (name !== null) page.ids.add(name);
    switch (element.tagName) {
      case "title":
        if (!hasTitle && element.namespaceURI.endsWith("xhtml")) page.title = textOf(element);
        hasTitle ||= element.namespaceURI.endsWith("xhtml");
        break;
      case "meta": {
        const meta = (name ?? "").toLowerCase();
        const content = get("content") ?? "";
        if (meta === "description" && page.description === "") page.description = tidy(content);
        if (meta === "robots" && /\b(?:noindex|none)\b/i.test(content)) page.noindex = true;
        if (meta === "robots" && /\b(?:nofollow|none)\b/i.test(content)) page.nofollow = true;
        break;
      }
      case "h1":
        page.headings.push(textOf(element));
        break;
      case "img":
        if (!isNamed(element)) page.unlabelled += 1;
        break;
      case "link": {
        const target = resolve(get("href") ?? "");
        if (target === null || get("href") === "") break;
        if (rel.includes("canonical")) page.canonicals.push(target.url);
        else if (rel.includes("alternate") && get("hreflang")) page.alternates.push(target.url);
        if (rel.some((each) => FOLLOWED.includes(each)) && isHtml(get("type") ?? undefined))
          page.named.push(target.url);
        break;
      }
    }
    for (const href of loadedBy(element, rel)) {
      const target = /^\s*(?:data|blob):|^\s*$/i.test(href) ? null : resolve(href);
      if (target !== null && target.url !== url) page.resources.push(target.url);
    }
    const href = element.tagName === "a" || element.tagName === "area" ? get("href") : get("src");
    if (!["a", "area", "frame", "iframe"].includes(element.tagName) || href === null) continue;
    const target = resolve(href);
    if (target === null || target.url.startsWith("//")) continue;
    page.links.push({ ...target, nofollow: rel.includes("nofollow") });
  }
  if (page.nofollow) page.links = page.links.map((link) => ({ ...link, nofollow: true }));
  return page;
}

function loadedBy(element: Element, rel: readonly string[]): string[] {
  const get = (name: string) => attribute(element, name);
  const sources = (get("srcset") ?? "").split(/,\s/).map((each) => each.trim().split(/\s/)[0] ?? "");
  switch (element.tagName) {
    case "img":
    case "source":
      return [get("src") ?? "", ...sources];
    case "script":
    case "audio":
    case "track":
    case "embed":
      return [get("src") ?? ""];
    case "video":
      return [get("src") ?? "", get("poster") ?? ""];
    case "object":
      return [get("data") ?? ""];
    case "input":
      return get("type")?.toLowerCase() === "image" ? [get("src") ?? ""] : [];
    case "link":
      return (rel.includes("stylesheet") && !rel.includes("alternate")) ||
        rel.some((each) => /^(?:apple-touch-)?icon$/.test(each))
        ? [get("href") ?? ""]
        : [];
    default:
      return [];
  }
}

function isNamed(element: Element): boolean {
  const role = attribute(element, "role");
  if (attribute(element, "aria-hidden") === "true" || role === "presentation" || role === "none") return true;
  return ["alt", "aria-label", "aria-labelledby", "title"].some((name) => attribute(element, name) !== null);
}

function* elementsOf(node: Node): Generator<Element> {
  if ("tagName" in node) yield node;
  // What a template holds is not shown.
  if ("childNodes" in node) for (const child of node.childNodes) yield* elementsOf(child);
}

function textOf(node: Node): string {
  const parts: string[] = [];
  const add = (at: Node) => {
    if ("value" in at) parts.push(at.value);
    if ("childNodes" in at) for (const child of at.childNodes) add(child);
  };
  add(node);
  return tidy(parts.join(""));
}

function attribute({ attrs }: Element, name: string): string | null {
  return attrs.find((each) => each.name === name)?.value ?? null;
}

function tidy(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function isPlace(fragment: string): boolean {
  return fragment !== "" && !/^(?:top$|\/|!|:~:)/i.test(fragment);
}

function isHtml(type = "text/html"): boolean {
  return type.startsWith("text/html");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { isPlainPath, MAX_URL_LENGTH } from "../../../url/canonicalize.ts";
import type { ContentElement } from "../article/content-tree.ts";

/** Makes the URLs of content absolute, and removes URLs that run code or contain data. */

const LINK_SCHEME = /^(?:https?|mailto|tel|ftp|geo|magnet|xmpp|irc|ircs|news|sms):/i;
const IMAGE_SCHEME = /^https?:/i;
/** Attributes in which lazy images keep their URL for a script. */
const LAZY_SOURCES = ["data-src", "data-original", "data-lazy-src"];
/** No honest `srcset` is longer, and the pattern that parses it may look at each character many times. */
const MAX_SRCSET = 4_000;
const SRCSET_CANDIDATE = /([^\s,]\S*[^\s,]|[^\s,])(?:\s+([\d.]+[wxh]))?\s*(?:,|$)/g;
/** Limit for all URLs of a page together: a long base multiplies each character. */
const MAX_CHARACTERS = 4_000_000;

/** On other elements these attributes have no meaning, and are removed. */
const URL_ATTRIBUTES: Partial<Record<string, readonly string[]>> = {
  a: ["href"],
  img: ["src", "srcset"],
  source: ["src", "srcset"],
  video: ["src", "poster"],
  audio: ["src"],
  blockquote: ["cite"],
  q: ["cite"],
  del: ["cite"],
  ins: ["cite"],
};
const ALL_URL_ATTRIBUTES = new Set(["href", "src", "srcset", "poster", "cite"]);

export class UrlSettler {
  readonly #base: string;
  /** What stands before a plain path; null if the base is no web address, or names a user. */
  readonly #origin: string | null;
  #charactersLeft = MAX_CHARACTERS;
  /** Navigation repeats URLs, and parsing them costs the most. */
  readonly #known = new Map<string, string | null>();

  constructor(base: string) {
    this.#base = base.length > MAX_URL_LENGTH ? `${URL.parse(base)?.origin ?? ""}/` : base;
    const parsed = URL.parse(this.#base);
    const isPlain = parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === "";
    this.#origin = isPlain ? parsed.origin : null;
  }

  settle(element: ContentElement): void {
    if (element.attributes.length === 0) return;
    if (element.localName === "img") takeLazySource(element);
    const own = URL_ATTRIBUTES[element.localName] ?? [];
    for (const { name } of [...element.attributes]) {
      if (!ALL_URL_ATTRIBUTES.has(name)) continue;
      if (!own.includes(name)) element.removeAttribute(name);
      else if (name === "srcset") this.#settleSrcset(element);
      else this.#settleAttribute(element, name, name === "href" || name === "cite" ? LINK_SCHEME : IMAGE_SCHEME);
    }
  }

  #settleAttribute(element: ContentElement, name: string, scheme: RegExp): void {
    const written = element.getAttribute(name);
    if (written === null) return;
    const url = this.#resolve(written, scheme);
    if (url === null) element.removeAttribute(name);
    else element.setAttribute(name, url);
  }

  #settleSrcset(element: ContentElement): void {
    const written = element.getAttribute("srcset");
    if (written === null) return;
    const settled: string[] = [];
    if (written.length <= MAX_SRCSET)
      for (const [, source = "", size] of written.matchAll(SRCSET_CANDIDATE)) {
        const url = this.#resolve(source, IMAGE_SCHEME);
        if (url !== null) settled.push(size === undefined ? url : `${url} ${size}`);
      }
    if (settled.length === 0) element.removeAttribute("srcset");
    else element.setAttribute("srcset", settled.join(", "));
  }

  #resolve(written: string, scheme: RegExp): string | null {
    if (written.length > MAX_URL_LENGTH || this.#charactersLeft <= 0) return null;
    let url = this.#origin !== null && isPlainPath(written) ? this.#origin + written : this.#known.get(written);
    if (url === undefined) {
      url = URL.parse(written, this.#base)?.href ?? null;
      this.#known.set(written, url);
    }
    if (url === null || !scheme.test(url)) return null;
    this.#charactersLeft -= url.length;
    return url;
  }
}

function takeLazySource(image: ContentElement): void {
  const source = image.getAttribute("src")?.trim() ?? "";
  if (source === "" || /^data:/i.test(source))
    for (const name of LAZY_SOURCES) {
      const lazy = image.getAttribute(name);
      if (lazy) image.setAttribute("src", lazy);
    }
  const candidates = image.getAttribute("data-srcset");
  if (candidates && !image.getAttribute("srcset")) image.setAttribute("srcset", candidates);
}

import { MAX_URL_LENGTH } from "../url/canonicalize.ts";
import type { ContentElement } from "./content-tree.ts";

/** Makes the URLs of content absolute, and takes out those that run something or carry their data with them. */

const LINK_SCHEME = /^(?:https?|mailto|tel|ftp|geo|magnet|xmpp|irc|ircs|news|sms):/i;
const IMAGE_SCHEME = /^https?:/i;
/** Where images wait for a script that loads them. */
const LAZY_SOURCES = ["data-src", "data-original", "data-lazy-src"];
/** A longer one is up to no good, and the pattern that takes it apart may look at each character often. */
const MAX_SRCSET = 4_000;
const SRCSET_CANDIDATE = /([^\s,]\S*[^\s,]|[^\s,])(?:\s+([\d.]+[wxh]))?\s*(?:,|$)/g;
/** Of all URLs of a page: a long base makes many of each character. */
const MAX_CHARACTERS = 4_000_000;

export class UrlSettler {
  readonly #base: string;
  #charactersLeft = MAX_CHARACTERS;
  /** Navigation repeats itself, and parsing is most of the cost. */
  readonly #known = new Map<string, string | null>();

  constructor(base: string) {
    this.#base = base.length > MAX_URL_LENGTH ? `${URL.parse(base)?.origin ?? ""}/` : base;
  }

  settle(element: ContentElement): void {
    switch (element.localName) {
      case "a":
        this.#settleAttribute(element, "href", LINK_SCHEME);
        break;
      case "img":
        for (const lazy of LAZY_SOURCES) {
          const value = element.getAttribute(lazy);
          if (value && !/^(?!data:)./i.test(element.getAttribute("src")?.trim() ?? ""))
            element.setAttribute("src", value);
        }
        if (!element.getAttribute("srcset") && element.getAttribute("data-srcset"))
          element.setAttribute("srcset", element.getAttribute("data-srcset") ?? "");
        this.#settleAttribute(element, "src", IMAGE_SCHEME);
        this.#settleSrcset(element);
        break;
      case "source":
      case "video":
      case "audio":
        this.#settleAttribute(element, "src", IMAGE_SCHEME);
        this.#settleAttribute(element, "poster", IMAGE_SCHEME);
        this.#settleSrcset(element);
        break;
      case "blockquote":
      case "q":
      case "del":
      case "ins":
        this.#settleAttribute(element, "cite", LINK_SCHEME);
        break;
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
    let url = this.#known.get(written);
    if (url === undefined) {
      url = URL.parse(written, this.#base)?.href ?? null;
      this.#known.set(written, url);
    }
    if (url === null || !scheme.test(url)) return null;
    this.#charactersLeft -= url.length;
    return url;
  }
}

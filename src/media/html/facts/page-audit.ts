import type { PageAudit, Resource, ResourceKind } from "../../document.ts";
import type { Canonicalize } from "../../links/links.ts";
import { HrefResolver } from "../../links/links.ts";
import { findSrcsetUrls } from "../links/srcset.ts";
import type { HtmlElement } from "../tree/linkedom.ts";

/**
 * Notes what a site audit asks of a page beside its links: first-level headings, images without a text, canonical URLs,
 * and what it loads. Bounded, because it is kept with the links of the page.
 */

/** What a page loads: distinct URLs. Some galleries have more images. */
const MAX_RESOURCES = 500;
const MAX_HEADING = 200;
/** URLs of images that stand for all without a text. */
const MAX_EXAMPLES = 3;
const MAX_HREF = 2_000;

export class AuditNotes {
  headings = 0;
  firstHeading = "";
  unlabelled = 0;
  readonly #examples: string[] = [];
  readonly #canonicals = new Set<string>();
  readonly #resources = new Map<string, ResourceKind>();
  dropped = 0;

  addHeading(text: string): void {
    this.headings += 1;
    if (this.headings === 1) this.firstHeading = text.slice(0, MAX_HEADING);
  }

  addCanonical(href: string): void {
    if (this.#canonicals.size < MAX_EXAMPLES) this.#canonicals.add(href);
  }

  /** An image with an empty `alt` is decoration, which is right. */
  readElement(element: HtmlElement): void {
    const attribute = (name: string) => element.getAttribute(name);
    switch (element.localName) {
      case "img":
        this.#add(attribute("src"), "image");
        this.#addSrcset(attribute("srcset"));
        this.#noteImage(element);
        break;
      case "source":
        this.#add(attribute("src"), "media");
        this.#addSrcset(attribute("srcset"));
        break;
      case "audio":
      case "track":
      case "embed":
        this.#add(attribute("src"), "media");
        break;
      case "video":
        this.#add(attribute("src"), "media");
        this.#add(attribute("poster"), "image");
        break;
      case "object":
        this.#add(attribute("data"), "media");
        break;
      case "input":
        if (attribute("type")?.toLowerCase() === "image") this.#add(attribute("src"), "image");
        break;
      case "script":
        this.#add(attribute("src"), "script");
        break;
      case "link":
        this.#readLink((attribute("rel") ?? "").toLowerCase().split(/\s+/, 20), attribute("href"));
        break;
    }
  }

  /** `base`: the document's base URL. */
  toAudit(base: string, pageUrl: string, canonicalize: Canonicalize): PageAudit {
    const resolver = new HrefResolver(base, pageUrl, canonicalize);
    const resources = new Map<string, Resource>();
    for (const [href, kind] of this.#resources) {
      const url = resolver.resolve(href);
      if (url !== null && url !== pageUrl && !resources.has(url)) resources.set(url, { url, kind });
    }
    const canonicals = new Set([...this.#canonicals].map((href) => resolver.resolve(href) ?? pageUrl));
    return {
      headings: this.headings,
      firstHeading: this.firstHeading,
      unlabelled: this.unlabelled,
      unlabelledExamples: this.#examples.flatMap((href) => resolver.resolve(href) ?? []),
      canonicals: canonicals.size,
      resources: [...resources.values()],
      droppedResources: this.dropped,
    };
  }

  #noteImage(element: HtmlElement): void {
    const role = element.getAttribute("role")?.toLowerCase();
    const isHidden = element.getAttribute("aria-hidden") === "true" || role === "presentation" || role === "none";
    const named = ["alt", "aria-label", "aria-labelledby", "title"].some((name) => element.getAttribute(name) !== null);
    if (named || isHidden) return;
    this.unlabelled += 1;
    const src = element.getAttribute("src");
    if (src !== null && !isInline(src) && this.#examples.length < MAX_EXAMPLES) this.#examples.push(src);
  }

  #readLink(names: readonly string[], href: string | null): void {
    if (names.includes("stylesheet") && !names.includes("alternate")) this.#add(href, "style");
    else if (names.includes("icon") || names.includes("apple-touch-icon")) this.#add(href, "image");
    else if (names.includes("modulepreload")) this.#add(href, "script");
  }

  #addSrcset(srcset: string | null): void {
    if (srcset !== null) for (const { url } of findSrcsetUrls(srcset)) this.#add(url, "image");
  }

  #add(href: string | null, kind: ResourceKind): void {
    // An empty value names nothing; resolved, it would be the page itself.
    if (href === null || href.trim() === "" || isInline(href) || this.#resources.has(href)) return;
    if (this.#resources.size < MAX_RESOURCES && href.length <= MAX_HREF) this.#resources.set(href, kind);
    else this.dropped += 1;
  }
}

/** Its bytes are in the page itself. */
function isInline(href: string): boolean {
  return /^\s*(?:data|blob):/i.test(href);
}

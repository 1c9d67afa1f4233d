import { canonicalize } from "../../url/canonicalize.ts";
import { type LinkContext, type PageLinks, resolveLink } from "../replay/replay-links.ts";
import { relativeUrl } from "./folder-path.ts";

/** The links of a page or style sheet that is written to a folder. */

/** Collects where the links lead, and leaves them as written. */
export class CollectedLinks implements PageLinks {
  readonly prefix = null;
  readonly context: LinkContext;
  /** Canonical. */
  readonly urls: Set<string>;

  constructor(context: LinkContext, urls = new Set<string>()) {
    this.context = context;
    this.urls = urls;
  }

  addressOf(written: string): null {
    const url = canonicalize(resolveLink(written, this.context) ?? "");
    if (url !== null) this.urls.add(url);
    return null;
  }

  within(context: LinkContext): CollectedLinks {
    return new CollectedLinks(context, this.urls);
  }
}

/** Links become relative to the page's file. A link to a URL that the folder does not have becomes absolute. */
export class FolderLinks implements PageLinks {
  readonly prefix = null;
  readonly context: LinkContext;
  readonly #path: string;
  readonly #files: ReadonlyMap<string, string>;

  /** `path`: the page's own path in the folder. `files`: the paths of others, by canonical URL. */
  constructor(context: LinkContext, path: string, files: ReadonlyMap<string, string>) {
    this.context = context;
    this.#path = path;
    this.#files = files;
  }

  addressOf(written: string): string | null {
    const href = resolveLink(written, this.context);
    if (href === null) return null;
    const file = this.#files.get(canonicalize(href) ?? "");
    if (file === undefined) return href;
    const fragmentAt = href.indexOf("#");
    return relativeUrl(this.#path, file) + (fragmentAt === -1 ? "" : href.slice(fragmentAt));
  }

  within(context: LinkContext): FolderLinks {
    return new FolderLinks(context, this.#path, this.#files);
  }
}

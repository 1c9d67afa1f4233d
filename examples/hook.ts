import { WorkerEntrypoint } from "cloudflare:workers";
import type { CrawlHook, DuePage, FoundUrl, ReadPage } from "orbweaver";

/**
 * An example of a hook: a Worker of your own that decides about URLs and pages. Run it with `serve --hook
 * examples/hook.ts`; docs/hook.md says how it is deployed. Each method is optional. It gets a list, and answers with a
 * list of the same length; null changes nothing.
 */
export default class extends WorkerEntrypoint implements CrawlHook {
  /** New URLs, before they are queued. */
  urlsFound(urls: readonly FoundUrl[]) {
    return urls.map(({ url }) => {
      if (url.includes("/print/")) return { refuse: "it is a page to print" };
      return url.includes("/news/") ? { priority: 900 } : null;
    });
  }

  /** Pages, before they are fetched. */
  pagesDue(pages: readonly DuePage[]) {
    return pages.map(({ url, attempts }) => (attempts > 1 && url.includes("?") ? { drop: "it failed twice" } : null));
  }

  /** Pages that were read, before they are stored. */
  pagesRead(pages: readonly ReadPage[]) {
    return pages.map(({ title, text }) => {
      if (text.length < 40) return { drop: "it says nothing" };
      return {
        fields: { words: text.split(/\s+/u).length, isDraft: /\bdraft\b/i.test(title ?? "") ? "yes" : "no" },
        // Pages name their sources in words, not in links.
        links: [...text.matchAll(/Source: (https?:\/\/\S+)/g)].map(([, source = ""]) => source),
      };
    });
  }
}

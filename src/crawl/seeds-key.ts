import type { Crawl } from "./crawl.ts";

/** By which crawls of one site are known: their seeds, whatever their order. */
export function seedsKey({ options }: Pick<Crawl, "options">): string {
  return options.urls.toSorted().join(" ");
}

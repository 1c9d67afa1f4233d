import type { CrawlUrl } from "../../../crawl/crawl.ts";
import { hasTopic } from "../../../crawl/crawl-options.ts";
import { findPageLinks } from "../../../graph/page-links.ts";
import { readLinkLines } from "../../../store/mirror/kept-links.ts";
import type { LinkScore } from "../../../topic/course/score-link.ts";
import { hostOf } from "../../../url/host-key.ts";
import type { ExplainedUrl, FeatureStep } from "../feature.ts";

/** Explains why a crawl with a subject put a link where it did: its page, its words, its host and its distance. */

/** Null for a crawl without a subject, and for an asset. */
export async function explainTopic({ crawl, record, deps }: ExplainedUrl): Promise<FeatureStep | null> {
  const { id, options } = crawl;
  if (record === null || !hasTopic(options) || record.kind === "asset") return null;
  const found = await deps.records.foundBy(id, record.url);
  const ok = (record.relevance ?? 0.5) >= 0.5;
  const step = (detail: string): FeatureStep => ({
    step: { step: "subject", ok, rule: `priority ${record.priority}`, detail: `${detail}${relevanceOf(record)}` },
    refuses: false,
  });
  if (found === null)
    return step(options.like.includes(record.url) ? "it is an example of the subject" : "seeds are fetched first");
  const words = record.via === null ? [] : await wordsOf(id, record.via, record.url, deps);
  return step(describeScore(found, record, words));
}

function relevanceOf({ relevance }: CrawlUrl): string {
  if (relevance === null) return "";
  return `. Its own relevance is ${share(relevance)}: it is ${relevance >= 0.5 ? "relevant" : "not relevant"}`;
}

function describeScore(found: LinkScore, { url, via }: CrawlUrl, words: readonly string[]): string {
  const said = words.length === 0 ? "" : ` (${words.map((text) => JSON.stringify(text)).join(", ")})`;
  const parts = [
    `the page that links to it, ${via}, has ${share(found.page)}`,
    `the words of the link${said} and of the URL have ${share(found.text)}`,
    `the pages of its host ${hostOf(url)} had ${share(found.host)} on average so far`,
    found.hops === 0
      ? "its page is on the subject"
      : `${found.hops === 1 ? "one page" : `${found.hops} pages`} in a row that led to it ${found.hops === 1 ? "is" : "are"} off the subject`,
    ...(found.isTurn === true ? ["it has a turn of its seed, because seeds take turns at first"] : []),
    ...(found.isLucky ? ["the hash of its URL lifts it, as one link in ten, so that nothing is walled in"] : []),
  ];
  return `its link has a score of ${share(found.score)}: ${parts.join("; ")}`;
}

/** What the links of the page to the URL say; none if the page's links are not kept. */
async function wordsOf(
  crawl: string,
  via: string,
  url: string,
  { records, packs }: ExplainedUrl["deps"],
): Promise<string[]> {
  const place = await records.packed(crawl, via);
  if (place === null || place.linksOffset === null || place.linksLength === null) return [];
  const { pack, linksOffset: offset, linksLength: length } = place;
  const lines = await readLinkLines(crawl, { pack, offset, length }, packs);
  const links = lines === null ? [] : (findPageLinks(lines, via)?.links ?? []);
  const texts = links.flatMap((link) => (link.url === url && link.text !== "" ? [link.text] : []));
  return [...new Set(texts)].slice(0, 3);
}

function share(value: number): string {
  return value.toFixed(2);
}

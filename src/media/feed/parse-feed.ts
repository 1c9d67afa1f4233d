// feedsmith: RSS 0.9 to 2.0, RSS 1.0 as RDF, Atom and JSON Feed with their namespaces in 65 kB. It expands no entities.
import { parseFeed as parseWithFeedsmith } from "feedsmith";
import { DocumentProblem } from "../document-problem.ts";
import { boundJson } from "./bound-json.ts";
import { boundXml } from "./bound-xml.ts";
import type { Feed } from "./feed.ts";
import { fromAtom, fromJson, fromRdf, fromRss } from "./feed-dialects.ts";
import { mendXml } from "./mend-xml.ts";

/** Parses a feed of any dialect, and mends its XML if that is broken. */

interface ParsedFeed {
  feed: Feed;
  /** Entries beyond the limit. */
  dropped: number;
  /** Whether its XML was broken, and says more since it was mended. */
  isMended: boolean;
}

/** Throws DocumentProblem for what is no feed. */
export function parseFeed(text: string, maxEntries: number): ParsedFeed {
  if (/^\ufeff?\s*\{/.test(text)) return parseJsonFeed(text, maxEntries);
  const { xml, entries, kept } = boundXml(text, maxEntries);
  const first = tryFeed(xml, kept);
  const isWhole = first !== null && first.entries.length >= kept;
  const mended = isWhole ? null : tryFeed(mendXml(xml), kept);
  const isMended = mended !== null && mended.entries.length > (first?.entries.length ?? -1);
  const feed = isMended ? mended : first;
  if (feed === null) throw new DocumentProblem("damaged", "it is no feed, or its XML is broken");
  return { feed, dropped: entries - kept, isMended };
}

function parseJsonFeed(text: string, maxEntries: number): ParsedFeed {
  const { json, entries, kept } = boundJson(text, maxEntries);
  const feed = tryFeed(json);
  if (feed === null) throw new DocumentProblem("damaged", "it is no JSON feed");
  return { feed, dropped: entries - kept, isMended: false };
}

/** Null for what is no feed. feedsmith throws for nothing else. */
function tryFeed(text: string, maxItems = Number.POSITIVE_INFINITY): Feed | null {
  try {
    const { format, feed } = parseWithFeedsmith(text, { maxItems });
    switch (format) {
      case "rss":
        return fromRss(feed);
      case "atom":
        return fromAtom(feed);
      case "rdf":
        return fromRdf(feed);
      case "json":
        return fromJson(feed);
    }
  } catch {
    // The caller mends it, or says that it is no feed.
    return null;
  }
}

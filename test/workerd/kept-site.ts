import { env } from "cloudflare:test";
import { gzipMember } from "../../src/archive/gzip-member.ts";
import { sha256Of } from "../../src/archive/sha256.ts";
import { resourceRecord } from "../../src/archive/warc-record.ts";
import { joinBytes } from "../../src/core/join-bytes.ts";
import { encodePageLinks, type PageLinks } from "../../src/graph/page-links.ts";
import { countWords } from "../../src/media/text/word-count.ts";
import { Packs } from "../../src/store/mirror/packs.ts";
import { printText } from "../../src/twins/text-print.ts";

/** The rows and packs of a crawl whose pages and links a test knows. */

export interface KeptPage {
  url: string;
  links?: string[];
  redirect?: string;
  /** The links of an earlier delivery of its batch, which its row does not name. */
  staleLinks?: string[];
  /** The main text of the page. */
  text?: string;
  /** What else the pack says of the page, and its row. */
  page?: Partial<PageLinks>;
  row?: Partial<RowColumns>;
}

interface RowColumns {
  status: string;
  reason: string | null;
  detail: string | null;
  http_status: number;
  content_type: string;
  via: string;
  duration_ms: number;
  fingerprint: string | null;
  words: number | null;
}

/** Pages of a pack. */
const PER_PACK = 2;

/** `database`: the ledger of the crawl. */
export async function keepSite(crawl: string, pages: KeptPage[], database: D1Database = env.LEDGER): Promise<void> {
  const packs = new Packs(env.MIRROR);
  for (let first = 0; first < pages.length; first += PER_PACK) {
    const some = pages.slice(first, first + PER_PACK);
    const stale = linksMember(some.map(({ url, staleLinks = [] }) => ({ url, links: staleLinks })));
    await packs.put(crawl, `stale-${first}`, [stale]);
    const member = linksMember(
      some.map(({ url, links = [], text, page = {} }) => ({ url, links, page: { ...sketchOf(text), ...page } })),
    );
    await packs.put(crawl, `pack-${first}`, [member]);
    for (const [i, { url, redirect, text, row = {} }] of some.entries()) {
      const [status, reason, detail] =
        redirect === undefined ? ["completed", null, null] : ["skipped", "redirected", `to ${redirect}`];
      await database
        .prepare(
          `INSERT OR REPLACE INTO urls (crawl, url, status, reason, detail, depth, priority, seq, links_pack, links_offset,
           links_length, http_status, content_type, via, duration_ms, fingerprint, words)
         VALUES (?1, ?2, ?3, ?4, ?5, 1, 0, ?6, ?7, 0, ?8, ?9, ?10, ?11, ?12, ?13, ?14)`,
        )
        .bind(
          crawl,
          url,
          row.status ?? status,
          row.reason ?? reason,
          row.detail ?? detail,
          first + i,
          redirect === undefined && (row.status ?? status) === "completed" ? `pack-${first}` : null,
          member.length,
          row.http_status ?? null,
          row.content_type ?? "text/html",
          row.via ?? null,
          row.duration_ms ?? null,
          row.fingerprint ?? (text === undefined ? null : (printText(text)?.fingerprint ?? null)),
          row.words ?? (text === undefined ? null : countWords(text)),
        )
        .run();
    }
  }
}

function sketchOf(text: string | undefined): Pick<PageLinks, "sketch"> {
  const sketch = text === undefined ? undefined : printText(text)?.sketch;
  return sketch === undefined ? {} : { sketch };
}

function linksMember(pages: { url: string; links: string[]; page?: Partial<PageLinks> }[]): Uint8Array {
  const lines = pages.map(({ url, links, page }) =>
    encodePageLinks({
      url,
      title: null,
      description: null,
      canonical: null,
      alternates: [],
      ids: null,
      dropped: 0,
      links: links.map((target) => ({
        url: target,
        text: `to ${target}`,
        kind: "a",
        rel: "",
        place: "content",
        fragment: null,
        nofollow: false,
      })),
      ...page,
    }),
  );
  const payload = joinBytes(lines);
  const facts = { url: "urn:links:test", date: 1, sha256: sha256Of(payload), contentType: "application/jsonl" };
  return gzipMember(resourceRecord({ ...facts, payload }));
}

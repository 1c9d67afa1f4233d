import { gzipMember } from "../archive/gzip-member.ts";
import { joinBytes, revisitRecord, warcinfoRecord } from "../archive/warc-record.ts";
import type { PackedPage } from "../crawl/outcome.ts";
import type { Attempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";

/**
 * The fourth processor of a crawl that packs: what a batch fetched goes into one WARC file for each crawl, and each outcome learns where in it
 * its page lies. A pack that no commit takes is nobody's, and goes when its crawl is deleted.
 */

/** A page that is larger, compressed, has a pack of its own at once, so that a batch does not hold many of them. */
const LARGE_CAPTURE_BYTES = 1024 * 1024;

const SOFTWARE = "Orbweaver/0.1";

export interface WrittenPack {
  crawl: string;
  name: string;
  bytes: number;
}

export function isLarge({ capture }: Attempt): boolean {
  if (capture === null) return false;
  const { response, others, content } = capture;
  return response.byteLength + others.byteLength + (content?.byteLength ?? 0) > LARGE_CAPTURE_BYTES;
}

/** Writes what the attempts have captured, and takes it from them. */
export async function writePacks(attempts: Attempt[], deps: Deps): Promise<WrittenPack[]> {
  const captured = attempts.filter(({ capture }) => capture !== null);
  const byCrawl = Map.groupBy(captured, ({ work }) => work.row.crawl);
  return Promise.all([...byCrawl].map(([crawl, group]) => writePack(crawl, group, deps)));
}

async function writePack(crawl: string, attempts: Attempt[], deps: Deps): Promise<WrittenPack> {
  const now = deps.clock.now();
  const name = `${now.toString(36).padStart(9, "0")}-${crypto.randomUUID().slice(0, 8)}`;
  const originals = await findOriginals(crawl, attempts, deps);
  const info = warcinfoRecord({
    date: now,
    filename: `${name}.warc.gz`,
    fields: [
      ["software", SOFTWARE],
      ["format", "WARC File Format 1.1"],
      ["conformsTo", "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"],
      ["isPartOf", crawl],
    ],
  });
  const pieces: Uint8Array[] = [await gzipMember(info)];
  let offset = pieces[0]?.byteLength ?? 0;
  const add = (piece: Uint8Array): Pick<PackedPage, "offset" | "length"> => {
    const place = { offset, length: piece.byteLength };
    pieces.push(piece);
    offset += piece.byteLength;
    return place;
  };
  for (const attempt of attempts) {
    const { capture, outcome } = attempt;
    if (capture === null) continue;
    const original = originals.get(outcome.sha256 ?? "");
    const isRevisit = original !== undefined && original.url !== outcome.url;
    const place = add(isRevisit ? await toRevisit(attempt, original) : capture.response);
    add(capture.others);
    const made = capture.content === null ? null : add(capture.content);
    outcome.packed = {
      pack: name,
      ...place,
      revisits: isRevisit ? original.url : null,
      contentOffset: made?.offset ?? null,
      contentLength: made?.length ?? null,
    };
    attempt.capture = null;
  }
  const bytes = joinBytes(pieces);
  await deps.packs.put(crawl, name, bytes);
  return { crawl, name, bytes: bytes.byteLength };
}

interface Original {
  url: string;
  date: number;
}

/** By digest: the page of the crawl that had this content first, or the first of this batch. */
async function findOriginals(crawl: string, attempts: Attempt[], deps: Deps): Promise<Map<string, Original>> {
  const digests = [...new Set(attempts.map(({ outcome }) => outcome.sha256 ?? ""))];
  const originals = new Map<string, Original>(
    (await deps.ledger.originals(crawl, digests)).map(({ sha256, url, fetchedAt }) => [
      sha256,
      { url, date: fetchedAt },
    ]),
  );
  for (const { outcome, capture } of attempts) {
    const digest = outcome.sha256 ?? "";
    if (!originals.has(digest)) originals.set(digest, { url: outcome.url, date: capture?.date ?? outcome.fetchedAt });
  }
  return originals;
}

async function toRevisit({ outcome, capture }: Attempt, refersTo: Original): Promise<Uint8Array> {
  return gzipMember(
    revisitRecord({
      date: capture?.date ?? outcome.fetchedAt,
      url: outcome.url,
      status: outcome.httpStatus ?? 200,
      statusText: capture?.statusText ?? "",
      headers: capture?.headers ?? [],
      sha256: outcome.sha256 ?? "",
      bytes: outcome.bytes ?? 0,
      refersTo,
    }),
  );
}

import { gzipMember } from "../archive/gzip-member.ts";
import { joinBytes, revisitRecord, warcinfoRecord } from "../archive/warc-record.ts";
import { SOFTWARE } from "../core/version.ts";
import type { Capture, Outcome } from "../crawl/outcome.ts";
import type { Attempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";

/**
 * The fourth stage: writes the captured records of a batch into one WARC file for each crawl, and gives each outcome
 * the place of its page. A pack without a commit is not used, and is removed when its crawl is deleted.
 */

/** Compressed size. A larger page goes into a pack at once, so a batch does not hold many of them. */
const LARGE_CAPTURE_BYTES = 1024 * 1024;

export interface WrittenPack {
  crawl: string;
  name: string;
  bytes: number;
}

interface PackedAttempts {
  /** In the order in which they came, with their places in the packs. */
  attempts: Attempt[];
  packs: WrittenPack[];
}

export function isLarge(attempt: Attempt): boolean {
  return capturedBytes(attempt) > LARGE_CAPTURE_BYTES;
}

/** Bytes that the attempt holds in memory until they are in a pack. */
export function capturedBytes({ capture }: Attempt): number {
  if (capture === null) return 0;
  const { page, content } = capture;
  const pieces = [page?.response, page?.others, content];
  return pieces.reduce((sum, piece) => sum + (piece?.byteLength ?? 0), 0);
}

/** Writes what the attempts have captured. */
export async function writePacks(attempts: readonly Attempt[], deps: Deps): Promise<PackedAttempts> {
  const captured = attempts.filter((attempt) => attempt.capture !== null);
  const byCrawl = Map.groupBy(captured, ({ work }) => work.row.crawl);
  const written = await Promise.all([...byCrawl].map(([crawl, group]) => writePack(crawl, group, deps)));
  const packed = new Map(written.flatMap(({ outcomes }) => [...outcomes]));
  return {
    attempts: attempts.map((attempt) => {
      const outcome = packed.get(attempt);
      return outcome === undefined ? attempt : { ...attempt, outcome, capture: null };
    }),
    packs: written.map(({ pack }) => pack),
  };
}

async function writePack(
  crawl: string,
  attempts: readonly Attempt[],
  deps: Deps,
): Promise<{ pack: WrittenPack; outcomes: Map<Attempt, Outcome> }> {
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
  const pieces: Uint8Array[] = [gzipMember(info)];
  let offset = pieces[0]?.byteLength ?? 0;
  const add = (piece: Uint8Array): Place => {
    const place = { offset, length: piece.byteLength };
    pieces.push(piece);
    offset += piece.byteLength;
    return place;
  };
  const outcomes = new Map<Attempt, Outcome>();
  for (const attempt of attempts) {
    const { capture, outcome } = attempt;
    if (capture === null) continue;
    const { page, content } = capture;
    const original = page === null ? undefined : originals.get(outcome.sha256 ?? "");
    const revisited = original === undefined || original.url === outcome.url ? null : original;
    const record = page === null ? null : revisited === null ? page.response : toRevisit(outcome, page, revisited);
    const place = record === null ? null : add(record);
    if (page !== null) add(page.others);
    const made = content === null ? null : add(content);
    outcomes.set(attempt, {
      ...outcome,
      // A page is dated as its record is.
      fetchedAt: page?.date ?? outcome.fetchedAt,
      packed: {
        pack: name,
        offset: place?.offset ?? null,
        length: place?.length ?? null,
        revisits: revisited?.url ?? null,
        contentOffset: made?.offset ?? null,
        contentLength: made?.length ?? null,
      },
    });
  }
  const bytes = joinBytes(pieces);
  await deps.packs.put(crawl, name, bytes);
  return { pack: { crawl, name, bytes: bytes.byteLength }, outcomes };
}

interface Place {
  offset: number;
  length: number;
}

interface Original {
  url: string;
  date: number;
}

/**
 * For each digest, the page of the crawl with this content that the ledger holds as completed. A page of this batch is
 * no original: its outcome may not settle, because its crawl was cancelled or another batch settled it, and then no row
 * would lead to the content.
 */
async function findOriginals(crawl: string, attempts: readonly Attempt[], deps: Deps): Promise<Map<string, Original>> {
  const pages = attempts.filter(({ capture }) => capture?.page != null);
  const digests = [...new Set(pages.map(({ outcome }) => outcome.sha256 ?? ""))];
  if (digests.length === 0) return new Map();
  const originals = await deps.ledger.originals(crawl, digests);
  return new Map(originals.map(({ sha256, url, fetchedAt }) => [sha256, { url, date: fetchedAt }]));
}

function toRevisit(
  { url, httpStatus, sha256, bytes }: Outcome,
  { date, statusText, headers }: NonNullable<Capture["page"]>,
  refersTo: Original,
): Uint8Array {
  const visit = { date, url, status: httpStatus ?? 200, statusText, headers, sha256: sha256 ?? "", bytes: bytes ?? 0 };
  return gzipMember(revisitRecord({ ...visit, refersTo }));
}

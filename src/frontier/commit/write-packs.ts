import { gzipMember } from "../../archive/gzip-member.ts";
import { sha256Of } from "../../archive/sha256.ts";
import { resourceRecord } from "../../archive/warc-record.ts";
import { joinBytes } from "../../core/join-bytes.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { crawlWarcinfo } from "../../crawl/crawl-warcinfo.ts";
import type { Capture, CapturedAnswer, Outcome, PackedAnswer, PageHeaders } from "../../crawl/page/outcome.ts";
import type { ArchivedAnswer, PackRow } from "../../store/mirror/archive-index.ts";
import { packNameAt } from "../../store/mirror/packs.ts";
import type { Attempt } from "../attempt.ts";
import type { Deps } from "../deps.ts";
import type { PackDeps } from "../needs.ts";
import { type Original, toRevisit } from "../visits/revisit-answer.ts";
import { hasLargeFields, keepLargeFields } from "./keep-fields.ts";
import type { RobotsCapture } from "./record-robots.ts";

/**
 * The fourth stage: writes the captured records of a batch into one WARC file for each crawl, and gives each outcome
 * the place of its page. A pack without a commit is not used, and is removed when its crawl is deleted.
 *
 * A pack has the crawl's warcinfo record, then the records of answers, then what was made of pages. An export takes the
 * middle.
 */

/** Compressed size. A larger page goes into a pack at once, so a batch does not hold many of them. */
const LARGE_CAPTURE_BYTES = 1024 * 1024;
/** Maximum length of a stored Content-Type, in characters. */
const MAX_TYPE = 1_000;

export interface WrittenPack extends PackRow {
  crawl: string;
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
  const { answer, content, links, description, resources = [] } = capture;
  const asked = resources.flatMap(({ response, others }) => [...response, others]);
  const pieces = [...(answer?.response ?? []), answer?.others, content, links, description, ...asked];
  return pieces.reduce((sum, piece) => sum + (piece?.byteLength ?? 0), 0);
}

/** Writes what the attempts have captured, their large fields, and `robots`, the records of robots.txt files. */
export async function writePacks(
  attempts: readonly Attempt[],
  robots: readonly RobotsCapture[],
  deps: PackDeps,
): Promise<PackedAttempts> {
  const captured = attempts.filter(({ capture, outcome }) => capture !== null || hasLargeFields(outcome));
  const crawls = new Map(
    [...captured.map(({ work }) => work), ...robots].map(({ context: { crawl } }) => [crawl.id, crawl]),
  );
  const written = await Promise.all(
    [...crawls].map(([id, crawl]) =>
      writePack(
        crawl,
        captured.filter(({ work }) => work.row.crawl === id),
        robots.filter(({ context }) => context.crawl.id === id),
        deps,
      ),
    ),
  );
  const packed = new Map(written.flatMap(({ outcomes }) => [...outcomes]));
  return {
    attempts: attempts.map((attempt) => {
      const outcome = packed.get(attempt);
      return outcome === undefined ? attempt : { ...attempt, outcome, capture: null };
    }),
    packs: written.flatMap(({ pack }) => pack ?? []),
  };
}

async function writePack(
  crawl: Crawl,
  attempts: readonly Attempt[],
  robots: readonly RobotsCapture[],
  deps: PackDeps,
): Promise<{ pack: WrittenPack | null; outcomes: Map<Attempt, Outcome> }> {
  const name = `${packNameAt(deps.clock.now())}-${crypto.randomUUID().slice(0, 8)}`;
  const originals = await findOriginals(crawl.id, attempts, deps);
  const info = crawlWarcinfo(crawl);
  const pieces: Uint8Array[] = [info];
  let bytes = info.byteLength;
  const add = (...added: readonly Uint8Array[]): Place => {
    const place = { offset: bytes, length: added.reduce((sum, piece) => sum + piece.byteLength, 0) };
    for (const piece of added) pieces.push(piece);
    bytes += place.length;
    return place;
  };
  const answers: ArchivedAnswer[] = [];
  const addAnswer = (url: string, { response, others, ...head }: CapturedAnswer, sha256?: string) => {
    answers.push({
      url,
      ...(sha256 === undefined ? {} : { sha256 }),
      ...add(...response),
      status: head.status,
      contentType: typeOf(head.headers),
      fetchedAt: head.date,
    });
    add(others);
  };
  for (const { url, capture } of robots) if (capture.answer !== null) addAnswer(url, capture.answer);

  const places = new Map<Attempt, { place: Place | null; revisits: string | null }>();
  for (const attempt of attempts) {
    const { capture, outcome, work } = attempt;
    const answer = capture?.answer ?? null;
    if (answer !== null && work.kind === "sitemap") addAnswer(outcome.url, answer);
    else {
      const original = answer === null || isUnchanged(attempt) ? undefined : originals.get(outcome.sha256 ?? "");
      const refersTo = original === undefined || original.url === outcome.url ? null : original;
      const record =
        answer === null || refersTo === null
          ? answer?.response
          : [toRevisit(answer, crawl.id, outcome, refersTo, "identical-payload")];
      places.set(attempt, { place: record === undefined ? null : add(...record), revisits: refersTo?.url ?? null });
      if (answer !== null) add(answer.others);
      if (capture?.description !== undefined) add(capture.description);
    }
  }
  const resources = attempts.flatMap(({ capture }) => capture?.resources ?? []);
  // Pages of a batch may have asked for the same.
  const byName = new Map(resources.map((resource) => [`${resource.sha256} ${resource.url}`, resource]));
  for (const { url, sha256, ...answer } of byName.values()) addAnswer(url, answer, sha256);
  const contentAt = bytes;
  const lines = attempts.flatMap(({ capture }) => capture?.links ?? []);
  const links = lines.length === 0 ? null : add(linksMember(name, joinBytes(lines), deps.clock.now()));
  const outcomes = new Map<Attempt, Outcome>();
  for (const attempt of attempts) {
    const { capture, outcome } = attempt;
    const { place = null, revisits = null } = places.get(attempt) ?? {};
    const made = capture?.content == null ? null : add(capture.content);
    const keep = (record: Uint8Array) => ({ pack: name, ...add(record) });
    outcomes.set(attempt, {
      ...outcome,
      ...(outcome.fields === undefined ? {} : { fields: keepLargeFields(outcome, keep) }),
      // A page is dated as its record is.
      fetchedAt: capture?.answer?.date ?? outcome.fetchedAt,
      packed: {
        pack: name,
        offset: place?.offset ?? null,
        length: place?.length ?? null,
        revisits,
        contentOffset: made?.offset ?? null,
        contentLength: made?.length ?? null,
        ...placeOfLinks(capture, links),
      },
    });
  }
  await deps.packs.put(crawl.id, name, pieces);
  const sizes = { bytes, infoBytes: info.byteLength, contentBytes: bytes - contentAt };
  const visits = attempts.filter((attempt) => isUnchanged(attempt) && attempt.capture?.answer != null).length;
  // A row leads exports to answers, and the removal of old versions to the packs of a watch. Other crawls need none: a
  // row for each batch would be a fifth of the price of kept links.
  const needsRow = contentAt > info.byteLength || crawl.options.watch !== null;
  return { pack: needsRow ? { crawl: crawl.id, name, ...sizes, visits, answers } : null, outcomes };
}

/** The record of the links of a batch's pages. Its name says that it is a resource of ours, as that of content does. */
function linksMember(pack: string, payload: Uint8Array, date: number): Uint8Array {
  const url = `urn:links:${pack}`;
  return gzipMember(
    resourceRecord({ url, date, sha256: sha256Of(payload), payload, contentType: "application/jsonl" }),
  );
}

function placeOfLinks(capture: Capture | null, links: Place | null): Pick<PackedAnswer, "linksOffset" | "linksLength"> {
  const isKept = links !== null && capture !== null && capture.links !== null;
  return isKept ? { linksOffset: links.offset, linksLength: links.length } : { linksOffset: null, linksLength: null };
}

interface Place {
  offset: number;
  length: number;
}

/** Whether it holds the revisit record of a visit that changes no row (settle-visit.ts). */
function isUnchanged({ visit }: Attempt): boolean {
  return visit !== null && visit.outcome === null;
}

/**
 * For each digest, the page of the crawl with this content that the ledger holds as completed. A page of this batch is
 * no original: its outcome may not settle, because its crawl was cancelled or another batch settled it, and then no row
 * would lead to the content.
 */
async function findOriginals(
  crawl: string,
  attempts: readonly Attempt[],
  deps: Pick<Deps, "ledger">,
): Promise<Map<string, Original>> {
  const stored = attempts.filter((attempt) => attempt.capture?.answer && !isUnchanged(attempt));
  const digests = new Set(stored.flatMap(({ outcome }) => outcome.sha256 ?? []));
  if (digests.size === 0) return new Map();
  const originals = await deps.ledger.originals(crawl, [...digests]);
  return new Map(originals.map(({ sha256, url, fetchedAt }) => [sha256, { url, date: fetchedAt }]));
}

function typeOf(headers: PageHeaders): string | null {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1].slice(0, MAX_TYPE) ?? null;
}

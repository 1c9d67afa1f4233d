import { createHash } from "node:crypto";
import { readForeignResponse, statusOf } from "../../archive/foreign-response.ts";
import { type SplitRecord, splitRecords } from "../../archive/split-records.ts";
import type { LeftOut, LeftOutReason } from "../../crawl/imported-archive.ts";
import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { type ArchivePart, piecesOf } from "./archive-pieces.ts";

/**
 * The first reading of an archive: which answer of each URL counts, and what is left out. It holds some hundred bytes
 * for each answer, and no body. The second reading (send-import.ts) numbers the records in the same way.
 */

/** An answer to send. */
export interface Pick {
  url: string;
  /** As written. */
  date: string;
  /** The place of the record whose body it has. */
  part: number;
  nth: number;
  /** For a revisit: its own HTTP head; null for that of the original. Undefined for a response. */
  head?: Uint8Array | null;
  /** How the URL was found, in the fields of a metadata record. */
  found: { via?: string; hops?: string } | null;
}

export interface ImportPlan {
  /** A SHA-256 of all headers of records: the same files give the same one. */
  archive: string;
  picks: Pick[];
  seeds: string[];
  leftOut: LeftOut[];
}

/** Enough for a status line and most heads. */
const HEAD_BYTES = 16_384;
const EXAMPLES = 3;
const MAX_EXAMPLE = 1_000;

interface Place {
  part: number;
  nth: number;
}

interface Candidate extends Place {
  url: string;
  date: string;
  at: number;
  status: number;
  /** Whether it is the whole answer of a server that was well. */
  isGood: boolean;
  id: string;
  concurrentTo: string;
  isHtml: boolean;
  /** What names the original of a revisit; empty for a response. */
  keys: string[];
  head?: Uint8Array | null;
}

/** `tell`: gets the number of records so far, now and then. `signal` ends the reading with its reason. */
export async function planImport(
  parts: readonly ArchivePart[],
  seeds: readonly string[],
  tell: (records: number) => void,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const plan = new Planning();
  const digests: string[] = [];
  let records = 0;
  for (const [part, { name }] of parts.entries()) {
    const digest = createHash("sha256");
    for await (const record of splitRecords(piecesOf(parts[part] as ArchivePart), bytesToPlan)) {
      signal.throwIfAborted();
      if (++records % 1_000 === 0) tell(records);
      if ("malformed" in record) {
        digest.update(record.malformed);
        plan.leaveOut("malformed", `${name}: ${record.malformed}`);
      } else {
        digest.update(record.header);
        plan.add(record, part);
      }
    }
    digests.push(digest.digest("hex"));
  }
  const archive = createHash("sha256").update(digests.toSorted().join(" ")).digest("hex");
  return { archive, ...plan.end(seeds) };
}

function bytesToPlan(fields: ReadonlyMap<string, string>): number {
  const type = fields.get("warc-type");
  return type === "response" || type === "revisit" || type === "request" || type === "metadata" ? HEAD_BYTES : 0;
}

class Planning {
  readonly #leftOut = new Map<LeftOutReason, { count: number; examples: string[] }>();
  readonly #candidates: Candidate[] = [];
  /** Places of responses by what revisits call them. */
  readonly #originals = new Map<string, Place & { status: number }>();
  /** Ids of requests that are no GET, and of their answers. */
  readonly #others = new Set<string>();
  readonly #found = new Map<string, { via?: string; hops?: string }>();

  leaveOut(reason: LeftOutReason, example: string): void {
    const before = this.#leftOut.get(reason) ?? { count: 0, examples: [] };
    before.count += 1;
    if (before.examples.length < EXAMPLES) before.examples.push(example.slice(0, MAX_EXAMPLE));
    this.#leftOut.set(reason, before);
  }

  add(record: SplitRecord, part: number): void {
    const { fields, block, nth } = record;
    const type = fields.get("warc-type");
    const target = targetOf(fields);
    if (type === "response" || type === "revisit") {
      const reason = this.#addAnswer(record, part, target);
      if (reason !== null) this.leaveOut(reason, target);
      return;
    }
    if (type === "request" && !/^GET /.test(latin1(block.subarray(0, 4)))) {
      this.#others.add(fields.get("warc-record-id") ?? "");
      this.#others.add(fields.get("warc-concurrent-to") ?? "");
    }
    if (type === "metadata") this.#addFound(fields.get("warc-concurrent-to"), latin1(block));
    this.leaveOut("other-record", target === "" ? `${type} ${nth}` : `${type}: ${target}`);
  }

  #addFound(answer: string | undefined, text: string): void {
    const via = /^via:[ \t]*(\S+)/im.exec(text)?.[1];
    const hops = /^hopsFromSeed:[ \t]*([A-Z]{0,1000})/m.exec(text)?.[1];
    if (answer === undefined || (via === undefined && hops === undefined)) return;
    this.#found.set(answer, { ...(via === undefined ? {} : { via }), ...(hops === undefined ? {} : { hops }) });
  }

  /** Why it is left out; null if it counts. */
  #addAnswer(record: SplitRecord, part: number, target: string): LeftOutReason | null {
    const { fields, block, nth, isWhole } = record;
    const isRevisit = fields.get("warc-type") === "revisit";
    const date = fields.get("warc-date") ?? "";
    const at = Date.parse(date);
    if (!/^https?:/i.test(target)) return "not-http";
    const url = canonicalize(target);
    if (url === null) return "invalid-url";
    if (url.length > MAX_URL_LENGTH) return "too-long";
    const status = statusOf(block);
    if (Number.isNaN(at) || (status === null && !isRevisit && !isWhole)) return "malformed";
    if (status === null && !isRevisit) return "not-http";
    if (/[?&]__wb_method=(?!GET\b)/i.test(target)) return "not-get";
    const id = fields.get("warc-record-id") ?? "";
    const code = status ?? 200;
    const candidate: Candidate = {
      ...{ part, nth, url, date, at, id, status: code },
      ...{ isGood: isWhole && !fields.has("warc-truncated") && isGood(code, block, url) },
      ...{
        concurrentTo: fields.get("warc-concurrent-to") ?? "",
        isHtml: /^content-type:[ \t]*text\/html/im.test(latin1(block)),
      },
      keys: isRevisit ? keysOfOriginal(fields) : [],
    };
    if (isRevisit) {
      // An answer of 304 stands for the original as it was.
      candidate.head = status !== null && status >= 200 && status < 300 ? block : null;
      candidate.isGood = true;
    } else
      for (const key of keysOf(fields, target))
        if (!this.#originals.has(key)) this.#originals.set(key, { part, nth, status: code });
    this.#candidates.push(candidate);
    return null;
  }

  end(seeds: readonly string[]): Omit<ImportPlan, "archive"> {
    const best = new Map<string, Candidate>();
    for (const found of this.#candidates) {
      if (this.#others.has(found.id) || (found.concurrentTo !== "" && this.#others.has(found.concurrentTo))) {
        this.leaveOut("not-get", found.url);
        continue;
      }
      const candidate = this.#resolve(found);
      if (candidate === null) {
        this.leaveOut("revisit", found.url);
        continue;
      }
      const before = best.get(found.url);
      if (before === undefined) best.set(found.url, candidate);
      else {
        if (isBetter(candidate, before)) best.set(found.url, candidate);
        this.leaveOut("older-capture", found.url);
      }
    }
    const kept = [...best.values()].toSorted((a, b) => a.part - b.part || a.nth - b.nth);
    const picks = kept.map(
      ({ url, date, part, nth, head, id }): Pick => ({
        ...{ url, date, part, nth, found: this.#found.get(id) ?? null },
        ...(head === undefined ? {} : { head }),
      }),
    );
    const first = kept.find(({ isHtml, isGood: isFirst }) => isHtml && isFirst) ?? kept[0];
    const known = seeds.filter((seed) => best.has(canonicalize(seed) ?? ""));
    const leftOut = [...this.#leftOut].map(([reason, counted]) => ({ reason, ...counted }));
    return { picks, leftOut, seeds: known.length > 0 ? known : first === undefined ? [] : [first.url] };
  }

  /** A revisit with the place of its original; null if the archive does not have that. */
  #resolve(found: Candidate): Candidate | null {
    if (found.head === undefined) return found;
    for (const key of found.keys) {
      const original = this.#originals.get(key);
      if (original !== undefined) return { ...found, part: original.part, nth: original.nth };
    }
    return null;
  }
}

/** What a server says in trouble, and a part of a file, do not stand over a whole answer. */
function isGood(status: number, block: Uint8Array<ArrayBuffer>, url: string): boolean {
  if (status < 200 || status === 206 || status === 304 || status === 408 || status === 425 || status === 429)
    return false;
  if (status >= 500) return false;
  if (status < 300 || status >= 400) return true;
  // A redirect to itself sets a cookie, or leaves out a parameter that no crawl counts.
  const location = readForeignResponse(block)?.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  return location === undefined || canonicalize(location, url) !== url;
}

/** The newest good one counts, and among those of one second a page before a redirect or an error. */
function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.isGood !== other.isGood) return one.isGood;
  if (one.at !== other.at) return one.at > other.at;
  const isPage = ({ status }: Candidate) => status >= 200 && status < 300;
  return isPage(one) || !isPage(other);
}

/** Some tools of WARC 1.0 write the URI in angle brackets. */
export function targetOf(fields: ReadonlyMap<string, string>): string {
  return (fields.get("warc-target-uri") ?? "").replace(/^<(.*)>$/, "$1");
}

function keysOf(fields: ReadonlyMap<string, string>, target: string): string[] {
  const digest = fields.get("warc-payload-digest");
  return [
    `id ${fields.get("warc-record-id") ?? ""}`,
    `at ${canonicalize(target) ?? target} ${secondsOf(fields.get("warc-date"))}`,
    ...(digest === undefined ? [] : [`digest ${digest}`]),
  ];
}

function keysOfOriginal(fields: ReadonlyMap<string, string>): string[] {
  const id = fields.get("warc-refers-to");
  const target = fields.get("warc-refers-to-target-uri")?.replace(/^<(.*)>$/, "$1");
  const date = fields.get("warc-refers-to-date");
  const digest = fields.get("warc-payload-digest");
  return [
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(target === undefined || date === undefined ? [] : [`at ${canonicalize(target) ?? target} ${secondsOf(date)}`]),
    ...(digest === undefined ? [] : [`digest ${digest}`]),
  ];
}

/** WARC 1.0 has whole seconds, and 1.1 parts of them. */
function secondsOf(date: string | undefined): number {
  return Math.floor(Date.parse(date ?? "") / 1_000);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

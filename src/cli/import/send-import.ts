import { headLengthOf } from "../../archive/foreign-response.ts";
import { type SplitRecord, splitRecords } from "../../archive/split-records.ts";
import { UserError } from "../errors.ts";
import { type ArchivePart, piecesOf } from "./archive-pieces.ts";
import type { Pick } from "./plan-import.ts";

/**
 * The second reading of an archive: sends the answers that count, in portions that a request takes. Few portions are on
 * their way at once, so the memory that is needed does not depend on the archive.
 */

/** As many answers as the API takes, and the size at which a portion is sent. */
const MOST_ANSWERS = 24;
const PORTION_BYTES = 4 * 1024 * 1024;
/** A larger answer than the API takes is sent without its body, and ends as too large. */
const MOST_BLOCK_BYTES = 25.5 * 1024 * 1024;
const ON_THEIR_WAY = 3;

/** Sends a portion, and returns how many URLs it settled. */
export type SendPortion = (records: Uint8Array) => Promise<number>;

export interface Refused {
  url: string;
  why: string;
}

/**
 * `picks`: those that are to be sent. `tell`: gets the number of answers that were sent so far. Stops when `signal`
 * aborts, after what is on its way. Returns what the API does not take.
 */
export async function sendImport(
  parts: readonly ArchivePart[],
  picks: readonly Pick[],
  send: SendPortion,
  tell: (sent: number) => void,
  signal: AbortSignal,
): Promise<Refused[]> {
  const portions = new Portions(send, tell);
  for (const [i, part] of parts.entries()) {
    const wanted = new Map<number, Pick[]>();
    for (const pick of picks) if (pick.part === i) wanted.set(pick.nth, [...(wanted.get(pick.nth) ?? []), pick]);
    let left = wanted.size;
    if (left === 0) continue;
    const bytesOf = (_: unknown, nth: number) => (wanted.has(nth) ? MOST_BLOCK_BYTES : 0);
    for await (const record of splitRecords(piecesOf(part), bytesOf)) {
      if ("malformed" in record) continue;
      for (const pick of wanted.get(record.nth) ?? []) {
        if (signal.aborted) return portions.end();
        await portions.add(pick, encode(pick, record));
      }
      if (wanted.has(record.nth) && --left === 0) break;
    }
  }
  return portions.end();
}

class Portions {
  readonly #send: SendPortion;
  readonly #tell: (sent: number) => void;
  readonly #refused: Refused[] = [];
  readonly #onTheirWay = new Set<Promise<void>>();
  #next: { url: string; bytes: Uint8Array }[] = [];
  #bytes = 0;
  #sent = 0;
  #failure: unknown = null;

  constructor(send: SendPortion, tell: (sent: number) => void) {
    this.#send = send;
    this.#tell = tell;
  }

  async add({ url }: Pick, bytes: Uint8Array): Promise<void> {
    if (this.#next.length > 0 && this.#bytes + bytes.length > PORTION_BYTES) await this.#flush();
    this.#next.push({ url, bytes });
    this.#bytes += bytes.length;
    if (this.#next.length === MOST_ANSWERS) await this.#flush();
  }

  async end(): Promise<Refused[]> {
    await this.#flush();
    await Promise.all(this.#onTheirWay);
    if (this.#failure !== null) throw this.#failure;
    return this.#refused;
  }

  /** Waits until there is a way for the next portion. */
  async #flush(): Promise<void> {
    const portion = this.#next;
    this.#next = [];
    this.#bytes = 0;
    while (this.#onTheirWay.size >= ON_THEIR_WAY) await Promise.race(this.#onTheirWay);
    if (this.#failure !== null) throw this.#failure;
    if (portion.length === 0) return;
    const sending = this.#sendAll(portion)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#onTheirWay.delete(sending));
    this.#onTheirWay.add(sending);
  }

  /** An answer that the API does not take costs no other one. */
  async #sendAll(portion: readonly { url: string; bytes: Uint8Array }[]): Promise<void> {
    try {
      await this.#send(Buffer.concat(portion.map(({ bytes }) => bytes)));
    } catch (error) {
      if (!(error instanceof UserError) || error.exitCode !== 2) throw error;
      if (portion.length > 1) {
        for (const one of portion) await this.#sendAll([one]);
        return;
      }
      this.#refused.push({ url: portion[0]?.url ?? "", why: error.message });
    }
    this.#sent += portion.length;
    this.#tell(this.#sent);
  }
}

/** The answer as a record of its own, and what is known of how its URL was found. */
function encode({ url, date, head, found }: Pick, { fields, block, length, isWhole }: SplitRecord): Uint8Array {
  const isCut = block.length < length;
  const body = bodyOf(head ?? null, isCut ? withoutBody(block, length) : block);
  const truncated = isCut ? "length" : isWhole ? fields.get("warc-truncated") : "disconnect";
  const own = [
    ...["WARC-Type: response", `WARC-Target-URI: ${url}`, `WARC-Date: ${date}`],
    ...(truncated === undefined ? [] : [`WARC-Truncated: ${oneLine(truncated)}`]),
  ];
  const about = [
    ...(found?.via === undefined ? [] : [`via: ${found.via}`]),
    ...(found?.hops === undefined ? [] : [`hopsFromSeed: ${found.hops}`]),
  ];
  const metadata =
    about.length === 0 ? [] : [record(["WARC-Type: metadata"], Buffer.from(`${about.join("\r\n")}\r\n`))];
  return Buffer.concat([record(own, body), ...metadata]);
}

function record(fields: readonly string[], block: Uint8Array): Buffer {
  const header = `WARC/1.1\r\n${fields.join("\r\n")}\r\nContent-Length: ${block.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(header), block, Buffer.from("\r\n\r\n")]);
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, " ");
}

/** A revisit has its own head, with the body of its original and how that is coded. */
function bodyOf(head: Uint8Array | null, original: Uint8Array): Uint8Array {
  if (head === null) return original;
  const codings = /^(?:content|transfer)-encoding:/i;
  const linesOf = (block: Uint8Array) =>
    Buffer.from(block.subarray(0, headLengthOf(block)))
      .toString("latin1")
      .split(/\r?\n/)
      .filter((line) => line !== "");
  const kept = linesOf(head).filter((line) => !codings.test(line) && !/^content-length:/i.test(line));
  const ofBody = linesOf(original).filter((line) => codings.test(line));
  const written = Buffer.from(`${[...kept, ...ofBody].join("\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat([written, original.subarray(headLengthOf(original))]);
}

/** The head, with the length of the body that is left out. */
function withoutBody(block: Uint8Array, length: number): Uint8Array {
  const headLength = headLengthOf(block);
  const lines = Buffer.from(block.subarray(0, headLength)).toString("latin1").split(/\r?\n/);
  const kept = lines.filter(
    (line) => line !== "" && !/^(?:content-length|content-encoding|transfer-encoding):/i.test(line),
  );
  return Buffer.from(`${kept.join("\r\n")}\r\nContent-Length: ${length - headLength}\r\n\r\n`, "latin1");
}

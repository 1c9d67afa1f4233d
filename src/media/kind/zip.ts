// Small, kept, and gives the output of a part as its input is pushed, so that a limit holds while a part is inflated.
import { Inflate } from "fflate";
import { DocumentProblem } from "../document-problem.ts";

/**
 * Reads the parts of a ZIP file, each when it is asked for. Sizes that the file states are never believed: what is
 * inflated is counted. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */

/** Bytes that are inflated of one file, all parts together. A part that is read again counts again. */
const MAX_INFLATED_BYTES = 32 * 1024 * 1024;
/** Honest documents have some thousands: a part for each picture, slide and chapter. */
const MAX_ENTRIES = 10_000;
/** Compressed bytes that are inflated at once. DEFLATE makes at most 1,032 times as many of them. */
const STEP_BYTES = 2_048;

const END_OF_DIRECTORY = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** A 32-bit field whose value stands in a field of ZIP64. */
const IN_ZIP64 = 0xffffffff;
const ZIP64 = 1;

interface Entry {
  method: number;
  isEncrypted: boolean;
  compressedBytes: number;
  /** Of its local header. */
  at: number;
}

export class ZipFile {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #entries = new Map<string, Entry>();
  /** Names as written, by their names in lower case: OOXML compares names so. */
  readonly #lowerCase = new Map<string, string>();
  #bytesLeft: number;

  /** Throws DocumentProblem for what is no ZIP file, and for one with too many entries. */
  constructor(bytes: Uint8Array, maxInflatedBytes = MAX_INFLATED_BYTES) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#bytesLeft = maxInflatedBytes;
    this.#readDirectory();
  }

  /** The names of all parts, as written. */
  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Whether there is such a part. Upper and lower case count the same, as they do for `chunks`. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /**
   * Inflates a part as its bytes are taken: a caller that stops early inflates no more. Nothing comes of a part that is
   * missing. Throws DocumentProblem if the part is encrypted or damaged, and beyond the limit of the file.
   */
  *chunks(name: string): Generator<Uint8Array, void> {
    const entry = this.#find(name);
    if (entry === undefined) return;
    if (entry.isEncrypted) throw new DocumentProblem("password", "its parts are encrypted");
    const start = this.#startOf(entry);
    const end = start + entry.compressedBytes;
    if (end > this.#bytes.length) throw damaged(`the part ${name} is cut off`);
    if (entry.method === STORED) yield this.#counted(this.#bytes.subarray(start, end));
    else if (entry.method === DEFLATED) yield* this.#inflate(name, start, end);
    else throw damaged(`the part ${name} is compressed by method ${entry.method}, which is not read`);
  }

  *#inflate(name: string, start: number, end: number): Generator<Uint8Array, void> {
    const made: Uint8Array[] = [];
    const inflate = new Inflate((chunk) => made.push(chunk));
    for (let at = start; at < end; at += STEP_BYTES) {
      const stop = Math.min(at + STEP_BYTES, end);
      try {
        inflate.push(this.#bytes.subarray(at, stop), stop === end);
      } catch (error) {
        throw damaged(`the part ${name} cannot be inflated: ${error instanceof Error ? error.message : error}`);
      }
      for (const chunk of made.splice(0)) if (chunk.length > 0) yield this.#counted(chunk);
    }
  }

  #counted(chunk: Uint8Array): Uint8Array {
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft < 0)
      throw new DocumentProblem("too-complex", "its parts are larger than the limit of what is inflated");
    return chunk;
  }

  #find(name: string): Entry | undefined {
    return this.#entries.get(name) ?? this.#entries.get(this.#lowerCase.get(name.toLowerCase()) ?? "");
  }

  /** The length of a local header may differ from that in the directory. */
  #startOf({ at }: Entry): number {
    if (!(at >= 0 && at + LOCAL_HEADER_BYTES <= this.#bytes.length) || this.#view.getUint32(at, true) !== LOCAL_HEADER)
      throw damaged("a part does not begin where the directory says");
    return at + LOCAL_HEADER_BYTES + this.#view.getUint16(at + 26, true) + this.#view.getUint16(at + 28, true);
  }

  #readDirectory(): void {
    const view = this.#view;
    const end = this.#findEnd();
    const bytes = view.getUint32(end + 12, true);
    const stated = view.getUint32(end + 16, true);
    // Where something stands before the file, all positions count from its own start. ZIP64 has its own end records.
    const isZip64 = bytes === IN_ZIP64 || stated === IN_ZIP64;
    const first = isZip64 ? this.#findZip64Directory(end) : end - bytes;
    const shift = isZip64 ? 0 : first - stated;
    const decoder = new TextDecoder();
    let at = first;
    while (at >= 0 && at + ENTRY_BYTES <= this.#bytes.length && view.getUint32(at, true) === ENTRY) {
      const nameBytes = view.getUint16(at + 28, true);
      const extraBytes = view.getUint16(at + 30, true);
      const nameEnd = at + ENTRY_BYTES + nameBytes;
      if (nameEnd + extraBytes > this.#bytes.length) break;
      const name = decoder.decode(this.#bytes.subarray(at + ENTRY_BYTES, nameEnd)).replaceAll("\\", "/");
      const entry = {
        method: view.getUint16(at + 10, true),
        isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
        ...this.#place(at, nameEnd, extraBytes, shift),
      };
      if (!this.#entries.has(name)) {
        this.#entries.set(name, entry);
        this.#lowerCase.set(name.toLowerCase(), name);
      }
      if (this.#entries.size > MAX_ENTRIES)
        throw new DocumentProblem("too-complex", `it has more than ${MAX_ENTRIES} parts`);
      at = nameEnd + extraBytes + view.getUint16(at + 32, true);
    }
    if (this.#entries.size === 0) throw damaged("its directory has no parts");
  }

  /** Where an entry is and how long, by the entry or by its field of ZIP64. */
  #place(at: number, extraAt: number, extraBytes: number, shift: number) {
    const view = this.#view;
    let compressedBytes = view.getUint32(at + 20, true);
    let start = view.getUint32(at + 42, true);
    const isLong = view.getUint32(at + 24, true) === IN_ZIP64;
    for (let field = extraAt; field + 4 <= extraAt + extraBytes; field += 4 + view.getUint16(field + 2, true)) {
      if (view.getUint16(field, true) !== ZIP64) continue;
      let value = field + 4 + (isLong ? 8 : 0);
      const next = () => {
        value += 8;
        return value <= extraAt + extraBytes ? Number(view.getBigUint64(value - 8, true)) : IN_ZIP64;
      };
      if (compressedBytes === IN_ZIP64) compressedBytes = next();
      if (start === IN_ZIP64) start = next();
    }
    return { compressedBytes, at: start + shift };
  }

  #findEnd(): number {
    const last = this.#bytes.length - END_BYTES;
    for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at--)
      if (this.#bytes[at] === 0x50 && this.#view.getUint32(at, true) === END_OF_DIRECTORY) return at;
    throw damaged("it has no directory of its parts: its end is missing");
  }

  /** The locator stands before the end, and says where the end record of ZIP64 is. */
  #findZip64Directory(end: number): number {
    const record = end >= 20 ? Number(this.#view.getBigUint64(end - 12, true)) : Number.POSITIVE_INFINITY;
    if (!(record + 56 <= this.#bytes.length)) throw damaged("its directory cannot be found");
    return Number(this.#view.getBigUint64(record + 48, true));
  }
}

function damaged(what: string): DocumentProblem {
  return new DocumentProblem("damaged", what);
}

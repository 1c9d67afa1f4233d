import { AsyncLocalStorage } from "node:async_hooks";
import { inflateSync } from "node:zlib";
import { samplePdf } from "./sample-pdf.ts";

/**
 * Bounds what pdf.js makes of a document. It has no limits of its own: a stream of 25 MB may become 25 GB, a font may
 * name 16 million characters, and each annotation takes kilobytes. Its classes are not exported, so their instances are
 * watched while a sample is read, and their prototypes are changed once. Each change is checked, and throws if pdf.js
 * is no longer built as expected.
 */

/** For one document. */
export class ReadingBudget {
  #bytesLeft = MAX_INFLATED;
  #charactersLeft = MAX_CHARACTERS;
  /** Streams that were larger than one may be. */
  largeStreams = 0;
  /** Annotations beyond what is read of a page. */
  leftAnnotations = 0;

  /** Whether all streams together were larger than allowed: nothing further can be read. */
  get isSpent(): boolean {
    return this.#bytesLeft <= 0;
  }

  /** Throws for a stream of more bytes than `most`. */
  check(bytes: number, most: number): void {
    if (bytes <= most && !this.isSpent) return;
    this.largeStreams += 1;
    // It was inflated so far, and took as long.
    this.spend(most);
    throw new Error("a stream of this document is larger than allowed");
  }

  spend(bytes: number): void {
    this.#bytesLeft -= bytes;
  }

  /** Throws if the fonts have more characters than allowed. */
  spendCharacters(characters: number): void {
    this.#charactersLeft -= characters;
    if (this.#charactersLeft < 0) throw new Error("the fonts of this document have too many characters");
  }
}

/** A page of 1,000 words has some 20 kB. While a stream is inflated, memory holds it twice. */
const MAX_STREAM = 16_000_000;
/**
 * For streams that pdf.js decodes by itself: tables of objects, and pages in old encodings. Three bytes of a table
 * become an object.
 */
const MAX_DECODED = 4_000_000;
/** For all streams together: pages, fonts and tables of objects. A manual of 3,600 pages has 60 MB. */
const MAX_INFLATED = 256_000_000;

/** In the tables of all fonts. A font has up to 65,536. */
const MAX_CHARACTERS = 3_000_000;
/** On a page. The index of a book has 400. */
const MAX_ANNOTATIONS = 2_000;

const budgets = new AsyncLocalStorage<ReadingBudget>();
const EMPTY = new Uint8Array();

/** The base class of all streams of pdf.js that are decoded. */
interface DecodeStream {
  buffer: Uint8Array;
  bufferLength: number;
  eof: boolean;
  isImageStream: boolean;
  stream: { reset(): void; isAsync: boolean; asyncGetBytes(): Promise<Uint8Array>; getBytes(): Uint8Array };
  ensureBuffer(bytes: number): Uint8Array;
  readBlock(): void;
  decodeImage?(): Promise<Uint8Array>;
  asyncGetBytesFromDecompressionStream(
    format: string,
  ): Promise<{ decompressed: Uint8Array | null; compressed: Uint8Array }>;
}

/** The tables of a font's characters. */
interface CharacterMap {
  mapCidRange(low: number, high: number, first: unknown): void;
  mapBfRange(low: number, high: number, first: unknown): void;
  mapOne(code: number, character: unknown): void;
}

interface Page {
  annotations: readonly unknown[];
}

/** What the constructor of each class sets first. */
const STREAM_MARK = "_rawMinBufferLength";
const MAP_MARK = "codespaceRanges";
const PAGE_MARK = "nonBlendModesSet";

/** Runs `work` so that all that it reads counts towards the budget. */
export function withBudget<Result>(budget: ReadingBudget, work: () => Promise<Result>): Promise<Result> {
  return budgets.run(budget, work);
}

let isBounded = false;

/** `readSample`: reads the page of a document with pdf.js. */
export async function boundEngine(readSample: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  if (isBounded) return;
  const seen = await watchInstances([STREAM_MARK, MAP_MARK, PAGE_MARK], () => readSample(samplePdf()));
  // Another document may have been the first while this one was read.
  if (isBounded) return;
  const streams = seen.get(STREAM_MARK) as DecodeStream[];
  boundStreams(ownerOf(streams[0], "ensureBuffer") as DecodeStream);
  const images = streams.filter(({ isImageStream }) => isImageStream);
  if (images.length === 0) throw changed("no stream says `isImageStream`");
  for (const image of images) emptyImage(Object.getPrototypeOf(image) as DecodeStream);
  boundMaps(ownerOf(seen.get(MAP_MARK)?.[0], "mapBfRange") as CharacterMap);
  boundPages(ownerOf(seen.get(PAGE_MARK)?.[0], "annotations") as Page);
  isBounded = true;
}

/** Collects the objects on which one of these properties is set meanwhile. */
async function watchInstances(names: readonly string[], read: () => Promise<void>): Promise<Map<string, object[]>> {
  const seen = new Map<string, object[]>(names.map((name) => [name, []]));
  for (const name of names)
    Object.defineProperty(Object.prototype, name, {
      configurable: true,
      set(this: object, value: unknown) {
        Object.defineProperty(this, name, { configurable: true, enumerable: true, writable: true, value });
        seen.get(name)?.push(this);
      },
    });
  try {
    await read();
  } finally {
    for (const name of names) delete (Object.prototype as Record<string, unknown>)[name];
  }
  return seen;
}

function ownerOf(instance: object | undefined, member: string): object {
  let owner: object | null = instance ?? null;
  while (owner !== null && !Object.hasOwn(owner, member)) owner = Object.getPrototypeOf(owner);
  if (owner === null) throw changed(`no class has \`${member}\``);
  return owner;
}

function boundStreams(base: DecodeStream): void {
  if (!Object.hasOwn(base, "asyncGetBytesFromDecompressionStream"))
    throw changed("no class has `asyncGetBytesFromDecompressionStream`");
  const { ensureBuffer } = base;
  base.ensureBuffer = function (bytes) {
    const budget = budgets.getStore();
    const { byteLength } = this.buffer;
    if (budget === undefined || bytes <= byteLength) return ensureBuffer.call(this, bytes);
    // A page may have its content in several streams.
    budget.check(bytes, "streams" in this ? MAX_STREAM : MAX_DECODED);
    const buffer = ensureBuffer.call(this, bytes);
    budget.spend(buffer.byteLength - byteLength);
    return buffer;
  };
  base.asyncGetBytesFromDecompressionStream = async function (format) {
    this.stream.reset();
    const compressed = this.stream.isAsync ? await this.stream.asyncGetBytes() : this.stream.getBytes();
    // No runtime here decodes Brotli within bounds, and few documents have it.
    if (format !== "deflate") return { decompressed: EMPTY, compressed };
    return { decompressed: inflate(compressed, budgets.getStore() ?? new ReadingBudget()), compressed };
  };
}

/** Null for a damaged stream, which pdf.js then reads by itself, as far as it goes. */
function inflate(compressed: Uint8Array, budget: ReadingBudget): Uint8Array | null {
  if (budget.isSpent) budget.check(0, MAX_STREAM);
  let inflated: Uint8Array;
  try {
    // Streams that break off are read up to there.
    inflated = inflateSync(compressed, { maxOutputLength: MAX_STREAM, finishFlush: Z_SYNC_FLUSH });
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") budget.check(MAX_STREAM + 1, MAX_STREAM);
    return null;
  }
  budget.spend(inflated.byteLength);
  return inflated;
}

/** https://www.zlib.net/manual.html#Constants */
const Z_SYNC_FLUSH = 2;

/** A document may name an image where a font or a table is expected. Images are never decoded. */
function emptyImage(prototype: DecodeStream): void {
  prototype.readBlock = function () {
    this.eof = true;
  };
  prototype.decodeImage = async () => EMPTY;
}

function boundMaps(prototype: CharacterMap): void {
  const { mapCidRange, mapBfRange, mapOne } = prototype;
  prototype.mapCidRange = function (low, high, first) {
    budgets.getStore()?.spendCharacters(high - low);
    mapCidRange.call(this, low, high, first);
  };
  prototype.mapBfRange = function (low, high, first) {
    budgets.getStore()?.spendCharacters(high - low);
    mapBfRange.call(this, low, high, first);
  };
  prototype.mapOne = function (code, character) {
    budgets.getStore()?.spendCharacters(1);
    mapOne.call(this, code, character);
  };
}

function boundPages(prototype: Page): void {
  const get = Object.getOwnPropertyDescriptor(prototype, "annotations")?.get;
  if (get === undefined) throw changed("a page has no getter `annotations`");
  Object.defineProperty(prototype, "annotations", {
    configurable: true,
    get(this: Page) {
      const annotations = get.call(this) as Page["annotations"];
      const budget = budgets.getStore();
      if (budget !== undefined) budget.leftAnnotations += Math.max(0, annotations.length - MAX_ANNOTATIONS);
      return annotations.slice(0, MAX_ANNOTATIONS);
    },
  });
}

function changed(what: string): Error {
  return new Error(`pdf.js has changed: ${what}`);
}

// What music-metadata reads from; its own dependency, named here because the reader extends it.
import { AbstractTokenizer, EndOfStreamError, type IFileInfo, type IReadChunkOptions } from "strtok3";
import { type MediaSource, MissingBytes, RANGE_BYTES } from "./media-source.ts";
import { SIGNED_TYPES } from "./recognize-media.ts";

/** Gives a parser of music-metadata the bytes of a source. */

/** A parser may hold so much at once. The samples of a film of six hours take 4 MB. */
const MAX_BUFFER_BYTES = 4 * 1024 * 1024;

/** A file that lies may keep a parser going for ever; an honest one takes some thousands. */
const MAX_READS = 50_000;

interface TokenizerOptions {
  /** By the file's bytes: it decides which parser reads the file. */
  type: string;
  /** Where the file ends for the parser; null for the end of the source. */
  end?: number | null;
  /** Look for tags at the end of the file too. */
  hasTagsAtEnd?: boolean;
}

export class SourceTokenizer extends AbstractTokenizer {
  readonly fileInfo: IFileInfo;
  readonly #source: MediaSource;
  readonly #hasTagsAtEnd: boolean;
  #reads = 0;
  /** Whether it gave zeros for a part of the file that it did not ask for. */
  hasHoles = false;

  constructor(source: MediaSource, { type, end = null, hasTagsAtEnd = false }: TokenizerOptions) {
    super({ maxBufferSize: MAX_BUFFER_BYTES });
    this.#source = source;
    this.#hasTagsAtEnd = hasTagsAtEnd;
    // Parsers of other types end with a search for an APE tag, and allocate whatever is left of the file by its size. A
    // server may claim any size. Without one they do not search: lib/apev2/APEv2Parser.js of music-metadata.
    const size = SIGNED_TYPES.has(type) ? (end ?? source.size) : null;
    this.fileInfo = { mimeType: type, ...(size === null ? {} : { size }) };
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length } = this.#placeOf(target, options);
    const read = await this.peekBuffer(target, { ...options, position, length });
    this.position = position + read;
    return read;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length } = this.#placeOf(target, options);
    const within = Math.max(0, Math.min(length, (this.fileInfo.size ?? Number.MAX_SAFE_INTEGER) - position));
    const bytes = await this.#read(position, within);
    target.set(bytes);
    if (bytes.byteLength < length && options?.mayBeLess !== true) throw new EndOfStreamError();
    return bytes.byteLength;
  }

  /** Only to the beginning, and to tags near the end: a parser allocates what lies between them and the end. */
  setPosition(position: number): void {
    if (position !== 0 && (this.fileInfo.size ?? position) - position > MAX_BUFFER_BYTES)
      throw new RangeError("its tags at the end claim to be longer than a reader takes");
    this.position = position;
  }

  /** A parser that may go back looks for tags at the end, and allocates what an element claims to hold. */
  supportsRandomAccess(): boolean {
    return this.#hasTagsAtEnd;
  }

  /**
   * What is longer than a range at once is a cover, an attachment or a table of samples. Nobody asks for it: it costs
   * many requests and says nothing.
   */
  async #read(position: number, length: number): Promise<Uint8Array> {
    this.#reads += 1;
    if (this.#reads > MAX_READS) throw new RangeError("it has more parts than a reader takes");
    if (length > RANGE_BYTES) {
      this.hasHoles = true;
      return this.#source.readKnown(position, length);
    }
    try {
      return await this.#source.read(position, length);
    } catch (error) {
      if (error instanceof MissingBytes) throw new EndOfStreamError();
      throw error;
    }
  }

  #placeOf(target: Uint8Array, options?: IReadChunkOptions): { position: number; length: number } {
    const { position = this.position, length = target.byteLength } = options ?? {};
    if (!Number.isSafeInteger(position) || position < 0 || length < 0 || length > target.byteLength)
      throw new RangeError(`no such place: ${position}`);
    return { position, length };
  }
}

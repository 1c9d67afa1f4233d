/**
 * The objects of passes in R2: values that travel between the steps of a pass, its result and its report. A step that
 * is repeated writes the same bytes under the same name. They lie with the packs, so a deletion of the crawl finds both
 * by one list.
 */

/** Objects that one call of R2 deletes, or lists. */
const MOST_AT_ONCE = 1_000;

type PassKey = { crawl: string; id: string };
/** An object of a pass that becomes a part of another, and its size in bytes. */
type Part = { name: string; length: number };
/** The parts of a file that an export writes begin so, and outlive its steps. */
const FILE_PART = "file-";

export function filePart(part: number): string {
  return `${FILE_PART}${part}`;
}

/** What outlives the steps of a pass: objects that are joined of theirs. */
export type Joined = "result" | "report";

export class PassObjects {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  async put(pass: PassKey, name: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(`${folderOf(pass)}${name}`, bytes);
  }

  /** The object, or `length` of its bytes from `offset` on. Throws if a step before did not write it. */
  async get(pass: PassKey, name: string, range?: { offset: number; length: number }): Promise<R2ObjectBody> {
    const object = await this.#bucket.get(`${folderOf(pass)}${name}`, range === undefined ? {} : { range });
    if (object === null) throw new Error(`the pass has no object ${name}`);
    return object;
  }

  /** The bytes of an object; null if no step has written it. */
  async find(pass: PassKey, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const object = await this.#bucket.get(`${folderOf(pass)}${name}`);
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  }

  /** The names of the objects of a pass that begin with this. */
  async names(pass: PassKey, start: string): Promise<string[]> {
    const prefix = folderOf(pass);
    const names: string[] = [];
    for await (const key of this.#keys(`${prefix}${start}`)) names.push(key.slice(prefix.length));
    return names;
  }

  /** What other sites answered to the passes of a crawl so far; null before the first answer. */
  async externals({ crawl }: Pick<PassKey, "crawl">): Promise<Uint8Array<ArrayBuffer> | null> {
    const object = await this.#bucket.get(externalsKey(crawl));
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  }

  async putExternals({ crawl }: Pick<PassKey, "crawl">, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(externalsKey(crawl), bytes);
  }

  async bytes(
    pass: PassKey,
    name: string,
    range?: { offset: number; length: number },
  ): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.get(pass, name, range)).arrayBuffer());
  }

  /** The number of bytes of an object. Throws if a step before did not write it. */
  async size(pass: PassKey, name: string): Promise<number> {
    const object = await this.#bucket.head(`${folderOf(pass)}${name}`);
    if (object === null) throw new Error(`the pass has no object ${name}`);
    return object.size;
  }

  /**
   * Writes an object of `length` bytes from pieces, one in memory at a time. It stands as a whole, or not at all.
   * Throws if the pieces have another length.
   */
  async putPieces(pass: PassKey, name: string, length: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#putStream(`${folderOf(pass)}${name}`, length, async (writable) => {
      const writer = writable.getWriter();
      try {
        for await (const piece of pieces) await writer.write(piece);
      } finally {
        // The stream cannot be aborted while it is locked.
        writer.releaseLock();
      }
    });
  }

  /** Writes a result that is small enough for the memory. */
  async putWholeResult(pass: PassKey, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(joinedKey("result", pass), bytes);
  }

  /** The bytes of such a result; null if the pass has none. */
  async wholeResult(pass: PassKey): Promise<Uint8Array<ArrayBuffer> | null> {
    const object = await this.#bucket.get(joinedKey("result", pass));
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  }

  /** Writes the result or the report: `head`, then these objects. It stands as a whole, or not at all. */
  async join(pass: PassKey, joined: Joined, head: Uint8Array, parts: readonly Part[]): Promise<void> {
    const length = parts.reduce((sum, part) => sum + part.length, head.length);
    await this.#putStream(joinedKey(joined, pass), length, async (writable) => {
      const writer = writable.getWriter();
      await writer.write(head);
      writer.releaseLock();
      for (const { name } of parts) await (await this.get(pass, name)).body.pipeTo(writable, { preventClose: true });
    });
  }

  /** `length` bytes from `offset` on, or fewer at the end; null if the pass has no such object. */
  async joined(pass: PassKey, joined: Joined, range: { offset: number; length: number }): Promise<R2ObjectBody | null> {
    return this.#bucket.get(joinedKey(joined, pass), { range });
  }

  async #putStream(key: string, length: number, write: (writable: WritableStream) => Promise<void>): Promise<void> {
    const { readable, writable } = new FixedLengthStream(length);
    // Otherwise the put would wait for the rest of the bytes.
    const written = write(writable)
      .then(() => writable.close())
      .catch((error: unknown) => writable.abort(error).then(() => Promise.reject(error)));
    await Promise.all([this.#bucket.put(key, readable), written]);
  }

  /**
   * Removes what travelled between the steps of passes that do not run, and the results and files of all passes of the
   * crawl that are not completed. `open` reads both after keys were listed: a pass has a row before it has an object,
   * so what was listed of a pass that began meanwhile is known as its own.
   */
  async removeOthers(
    crawl: string,
    open: () => Promise<{ completed: readonly string[]; running: readonly string[] }>,
  ): Promise<void> {
    for await (const page of this.#pages(`${crawl}/packs/passes/`)) {
      const { completed, running } = await open();
      const joined = (id: string) => [joinedKey("result", { crawl, id }), joinedKey("report", { crawl, id })];
      const kept = new Set([...[...completed, ...running].flatMap(joined), externalsKey(crawl)]);
      const starts = [
        ...completed.map((id) => `${folderOf({ crawl, id })}${FILE_PART}`),
        ...running.map((id) => folderOf({ crawl, id })),
      ];
      const isKept = (key: string) => kept.has(key) || starts.some((start) => key.startsWith(start));
      // Pages of a host named `packs` may be there, too. Their keys have an extension.
      const keys = page.filter((key) => !isKept(key) && !key.includes("."));
      if (keys.length > 0) await this.#bucket.delete(keys);
    }
  }

  /** Removes all objects of a pass without a result. */
  async removePass(pass: PassKey): Promise<void> {
    await this.#removeAll(folderOf(pass), () => true);
    await this.#bucket.delete([joinedKey("result", pass), joinedKey("report", pass)]);
  }

  async #removeAll(prefix: string, isLeftOver: (key: string) => boolean): Promise<void> {
    for await (const page of this.#pages(prefix)) {
      const keys = page.filter(isLeftOver);
      if (keys.length > 0) await this.#bucket.delete(keys);
    }
  }

  async *#keys(prefix: string): AsyncGenerator<string> {
    for await (const page of this.#pages(prefix)) yield* page;
  }

  /** The keys of each page of the list. */
  async *#pages(prefix: string): AsyncGenerator<string[]> {
    for (let cursor: string | undefined; ; ) {
      const list = await this.#bucket.list({
        prefix,
        limit: MOST_AT_ONCE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      yield list.objects.map(({ key }) => key);
      if (!list.truncated) return;
      ({ cursor } = list);
    }
  }
}

/** No page has such a key: that of a page ends in an extension. */
function folderOf({ crawl, id }: PassKey): string {
  return `${crawl}/packs/passes/${id}/`;
}

function joinedKey(joined: Joined, { crawl, id }: PassKey): string {
  return `${crawl}/packs/passes/${joined}-${id}`;
}

function externalsKey(crawl: string): string {
  return `${crawl}/packs/passes/externals`;
}

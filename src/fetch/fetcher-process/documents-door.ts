import { RpcTarget } from "cloudflare:workers";
import { streamOf } from "../../core/stream-of.ts";
import type { DocumentBody, DocumentStore, Documents } from "../../store/mirror/documents.ts";
import { watch } from "../../store/mirror/put-stream.ts";

/**
 * The mirror's documents for the fetcher process, which has no mirror. Bodies go as streams: a value of an RPC call has
 * at most 32 MiB. https://developers.cloudflare.com/workers/runtime-apis/rpc/#limitations
 */

/** The side of the mirror. */
export class DocumentsDoor extends RpcTarget {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    super();
    this.#documents = documents;
  }

  async put(key: string, body: ReadableStream<Uint8Array>, length: number): Promise<void> {
    await this.#documents.put(key, { chunks: body, length });
  }

  async putParts(key: string, body: ReadableStream<Uint8Array>): Promise<number> {
    return this.#documents.putParts(key, body);
  }

  async remove(key: string): Promise<void> {
    await this.#documents.remove(key);
  }
}

/** The side of the fetcher process. */
export class DocumentsBehindDoor implements DocumentStore {
  readonly #door: DocumentsDoor;

  constructor(door: DocumentsDoor) {
    this.#door = door;
  }

  put(key: string, body: DocumentBody): Promise<void> {
    const { chunks, length } = body instanceof Uint8Array ? { chunks: once(body), length: body.byteLength } : body;
    return sending(chunks, (stream) => this.#door.put(key, stream, length));
  }

  putParts(key: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    return sending(chunks, (stream) => this.#door.putParts(key, stream));
  }

  remove(key: string): Promise<void> {
    return this.#door.remove(key);
  }
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** Throws what `chunks` throws as it was thrown: the other side tells an error by its message alone. */
async function sending<T>(
  chunks: AsyncIterable<Uint8Array>,
  send: (stream: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  let thrown: { error: unknown } | null = null;
  const watched = watch(chunks, (error) => {
    thrown = { error };
  });
  try {
    return await send(streamOf(watched));
  } catch (error) {
    throw thrown === null ? error : (thrown as { error: unknown }).error;
  }
}

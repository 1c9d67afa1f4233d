import { joinBytes } from "../../../src/core/join-bytes.ts";
import type { Invocation } from "./invocation.ts";
import { Network, type Surroundings } from "./network.ts";
import type { VirtualTime } from "./time.ts";
import { Upload } from "./upload.ts";

/**
 * A model of R2 in memory. An object is there for all readers once a put has returned, and a put writes the whole
 * object or nothing: https://developers.cloudflare.com/r2/reference/consistency/. A call takes one of the request's six
 * connections (connections.ts).
 */

const LATENCY_MS = 40;
/** https://developers.cloudflare.com/r2/platform/limits/ and the API's limit of keys in a delete. */
const MAX_METADATA_BYTES = 8_192;
const MAX_DELETED_KEYS = 1_000;

interface Stored {
  bytes: Uint8Array;
  options: R2PutOptions;
}

export class ModelBucket {
  readonly objects = new Map<string, Stored>();
  readonly counts = { calls: 0, puts: 0, gets: 0 };
  readonly #network: Network;
  readonly #time: VirtualTime;

  constructor(around: Surroundings) {
    this.#network = new Network(around);
    this.#time = around.time;
  }

  /** The binding of an invocation; null for a reader beside the model. */
  bindingOf(invocation: Invocation | null): R2Bucket {
    const call = async <T>(name: string, effect: () => T | Promise<T>): Promise<T> => {
      if (invocation === null) return effect();
      this.counts.calls += 1;
      if (name === "put") this.counts.puts += 1;
      if (name === "get") this.counts.gets += 1;
      await invocation.connections.take();
      try {
        return await this.#network.call(invocation, { name: `bucket.${name}`, latencyMs: LATENCY_MS, effect });
      } finally {
        invocation.connections.release();
      }
    };
    return {
      put: (key: string, value: Uint8Array | ReadableStream<Uint8Array>, options: R2PutOptions = {}) => {
        // The caller may use its buffer again.
        const given = value instanceof Uint8Array ? value.slice() : value;
        const metadata = JSON.stringify(options.customMetadata ?? {});
        if (metadata.length > MAX_METADATA_BYTES) throw new Error("put: Your metadata headers exceed the maximum");
        const put = call("put", async () => {
          const bytes =
            given instanceof Uint8Array
              ? given
              : await this.#time.native((tellProgress) => readStream(given, tellProgress));
          // Nothing is written of a stream whose invocation has ended.
          await invocation?.alive();
          this.objects.set(key, { bytes, options });
        });
        if (given instanceof ReadableStream) put.catch((error: unknown) => given.cancel(error)).catch(() => undefined);
        return put;
      },
      createMultipartUpload: async (key: string, options: R2PutOptions = {}) => {
        await call("createMultipartUpload", () => undefined);
        const upload = new Upload();
        return {
          key,
          uploadPart: async (partNumber: number, value: Uint8Array) => {
            // The caller may use its buffer again.
            const bytes = value.slice();
            return call("uploadPart", () => upload.put(partNumber, bytes));
          },
          complete: (uploaded: R2UploadedPart[]) =>
            call("complete", () => void this.objects.set(key, { bytes: upload.complete(uploaded), options })),
          abort: () => call("abort", () => upload.abort()),
        };
      },
      get: (key: string, { range }: { range?: { offset: number; length: number } } = {}) =>
        call("get", () => {
          const stored = this.objects.get(key);
          return stored === undefined ? null : bodyOf(key, stored, range);
        }),
      delete: (keys: string | string[]) => {
        const all = [keys].flat();
        if (all.length > MAX_DELETED_KEYS) throw new Error("delete: too many keys");
        return call("delete", () => {
          for (const key of all) this.objects.delete(key);
        });
      },
      list: ({ prefix = "", limit = 1_000 }: R2ListOptions = {}) =>
        call("list", () => {
          const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
          return { objects: keys.slice(0, limit).map((key) => ({ key })), truncated: keys.length > limit };
        }),
    } as unknown as R2Bucket;
  }
}

/** A stream that breaks fails the put with an error of R2's own. */
async function readStream(stream: ReadableStream<Uint8Array>, tellProgress: () => void): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of stream) {
      pieces.push(piece.slice());
      tellProgress();
    }
  } catch {
    throw new Error("put: Unspecified error (0)");
  }
  return joinBytes(pieces);
}

function bodyOf(key: string, { bytes, options }: Stored, range?: { offset: number; length: number }): R2ObjectBody {
  const part = range === undefined ? bytes.slice() : bytes.slice(range.offset, range.offset + range.length);
  const { httpMetadata, customMetadata } = options;
  return { key, httpMetadata, customMetadata, arrayBuffer: async () => part.buffer } as unknown as R2ObjectBody;
}

import type { Invocation } from "./invocation.ts";
import { Network, type Surroundings } from "./network.ts";

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
  readonly counts = { calls: 0 };
  readonly #network: Network;

  constructor(around: Surroundings) {
    this.#network = new Network(around);
  }

  /** The binding of an invocation; null for a reader beside the model. */
  bindingOf(invocation: Invocation | null): R2Bucket {
    const call = async <T>(name: string, effect: () => T): Promise<T> => {
      if (invocation === null) return effect();
      this.counts.calls += 1;
      await invocation.connections.take();
      try {
        return await this.#network.call(invocation, { name: `bucket.${name}`, latencyMs: LATENCY_MS, effect });
      } finally {
        invocation.connections.release();
      }
    };
    return {
      put: (key: string, value: Uint8Array, options: R2PutOptions = {}) => {
        const bytes = value.slice();
        const metadata = JSON.stringify(options.customMetadata ?? {});
        if (metadata.length > MAX_METADATA_BYTES) throw new Error("put: Your metadata headers exceed the maximum");
        return call("put", () => {
          this.objects.set(key, { bytes, options });
        });
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

function bodyOf(key: string, { bytes, options }: Stored, range?: { offset: number; length: number }): R2ObjectBody {
  const part = range === undefined ? bytes.slice() : bytes.slice(range.offset, range.offset + range.length);
  const { httpMetadata, customMetadata } = options;
  return { key, httpMetadata, customMetadata, arrayBuffer: async () => part.buffer } as unknown as R2ObjectBody;
}

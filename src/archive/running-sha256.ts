import { sha256 } from "@noble/hashes/sha2.js";

/** SHA-256 of bytes that come one after the other, in little memory however many: crypto.subtle takes them only all at once. */
export interface RunningSha256 {
  update(chunk: Uint8Array): Promise<void>;
  /** Hex. The last thing that is asked of it. */
  digest(): Promise<string>;
}

type DigestStream = new (algorithm: string) => WritableStream<Uint8Array> & { readonly digest: Promise<ArrayBuffer> };

/** In workerd its own, which is native (https://developers.cloudflare.com/workers/runtime-apis/web-crypto/#constructors); in JavaScript elsewhere. */
export function startSha256(): RunningSha256 {
  const { DigestStream } = crypto as { DigestStream?: DigestStream };
  if (DigestStream === undefined) {
    const hash = sha256.create();
    return { update: async (chunk) => void hash.update(chunk), digest: async () => hex(hash.digest()) };
  }
  const stream = new DigestStream("SHA-256");
  const writer = stream.getWriter();
  return {
    update: (chunk) => writer.write(chunk),
    digest: async () => {
      await writer.close();
      return hex(new Uint8Array(await stream.digest));
    },
  };
}

/** Hex, of bytes that are all there. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  // Nothing here is in shared memory, which digest would not take.
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

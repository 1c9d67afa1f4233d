import { brotliDecompressSync } from "node:zlib";

/**
 * Gives pdf.js the predefined CMaps, which a document in Chinese, Japanese or Korean may name instead of embedding what
 * its characters are. Nothing else that pdf.js asks for is needed for text.
 */
export class BuiltinCmaps {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const cmap = kind === "cMapUrl" ? (await loadCmaps()).get(filename.replace(/\.bcmap$/, "")) : undefined;
    if (cmap === undefined) throw new Error(`there is no ${filename}`);
    // The receiver may take the buffer.
    return cmap.slice();
  }
}

let cmaps: ReadonlyMap<string, Uint8Array> | null = null;

/** Few documents need them, so they are unpacked at the first that does: 700 kB. */
async function loadCmaps(): Promise<ReadonlyMap<string, Uint8Array>> {
  if (cmaps !== null) return cmaps;
  const { CMAP_SIZES, PACKED_CMAPS } = await import("./cmaps.ts");
  const packed = Buffer.from(PACKED_CMAPS, "base64");
  const bytes = new Uint8Array(brotliDecompressSync(packed));
  const unpacked = new Map<string, Uint8Array>();
  const words = CMAP_SIZES.split(" ");
  let at = 0;
  for (let word = 0; word < words.length; word += 2) {
    const size = Number(words[word + 1]);
    unpacked.set(words[word] ?? "", bytes.subarray(at, at + size));
    at += size;
  }
  cmaps = unpacked;
  return unpacked;
}

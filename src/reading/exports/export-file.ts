import { streamOf } from "../../core/stream-of.ts";
import type { Pass } from "../../crawl/report/pass.ts";
import { filePart } from "../../store/passes/pass-objects.ts";
import type { PassResults } from "../needs.ts";

/** Streams a file that an export wrote in parts of these sizes, from this byte on. */
export function openExportFile(
  pass: Pick<Pass, "crawl" | "id">,
  sizes: readonly number[],
  from: number,
  deps: Pick<PassResults, "passObjects">,
): ReadableStream<Uint8Array> {
  return streamOf(readParts(pass, sizes, from, deps));
}

async function* readParts(
  pass: Pick<Pass, "crawl" | "id">,
  sizes: readonly number[],
  from: number,
  { passObjects }: Pick<PassResults, "passObjects">,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const [part, size] of sizes.entries()) {
    const skipped = Math.max(0, from - at);
    at += size;
    if (skipped >= size) continue;
    const range = { offset: skipped, length: size - skipped };
    yield* (await passObjects.get(pass, filePart(part), range)).body;
  }
}

import { WorkerEntrypoint } from "cloudflare:workers";
import { joinBytes } from "../../core/join-bytes.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import type { WriteExportPart, WrittenPart } from "../../crawl/report/export-file.ts";
import { type Deps, depsOf } from "../../frontier/deps.ts";
import { readOrder } from "../../passes/export/write-export.ts";
import { CPU_MS_PER_MADE } from "../../passes/page-content.ts";
import { filePart } from "../../store/passes/pass-objects.ts";
import { backgroundQuery } from "./background-schemas.ts";
import { openTextExport } from "./text-export.ts";

/**
 * Writes the parts of files that exports make in the background. The pass calls it through `ctx.exports`, because what
 * a file looks like is the API's to know.
 */
export class ExportWriter extends WorkerEntrypoint<Env> {
  async writePart(...args: Parameters<WriteExportPart>): Promise<WrittenPart> {
    const [{ crawl }] = args;
    return writePart(depsOf(this.env, undefined, ledgerOf(crawl)), ...args);
  }
}

/** Bytes of a part, which is in memory. A longer one ends after the record that reaches it. */
const MAX_BYTES = 16_000_000;

export async function writePart(
  given: Pick<Deps, "ledger" | "passObjects" | "meter"> & Parameters<typeof openTextExport>[2],
  ...[pass, part, cursor]: Parameters<WriteExportPart>
): Promise<WrittenPart> {
  const { meter, passObjects, ledger } = given;
  const readContent: typeof given.readContent = async (...args) => {
    meter.add({ cpuMs: CPU_MS_PER_MADE });
    return given.readContent(...args);
  };
  const [crawl, order] = [await ledger.crawl(pass.crawl), await readOrder(pass, passObjects)];
  if (crawl === null || order === null) throw new Error("the crawl or its export is gone");
  const file = await openTextExport(crawl, backgroundQuery.parse(order.query), { ...given, readContent });
  const { texts, next } = await file.part(cursor);
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let reached: string | null = null;
  for await (const { text, cursor: after } of texts) {
    const piece = encoder.encode(text);
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes < MAX_BYTES || after === null) continue;
    reached = after;
    break;
  }
  await passObjects.put(pass, filePart(part), joinBytes(pieces));
  return { bytes, usage: meter.take(), next: reached ?? next };
}

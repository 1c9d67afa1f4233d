import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import { count } from "../../core/shown-values.ts";
import type { Pass } from "../../crawl/report/pass.ts";
import type { PassObjects } from "../../store/passes/pass-objects.ts";
import { completePass } from "../complete-pass.ts";
import { PassEnded, type PassRun } from "../pass-run.ts";

/**
 * Writes the file of an export that is longer than one request may read: each step writes one part as an object, and
 * the parts are sent as one file. A killed pass goes on after its last part.
 */

/** Parts at most: a Workflow has 10,000 steps. https://developers.cloudflare.com/workflows/reference/limits/ */
export const MAX_EXPORT_PARTS = 9_900;

/** The order of an export, as its request named it. `parts`: an estimate. */
export interface ExportOrder {
  query: Record<string, unknown> & { format: string };
  parts: number;
}

export async function writeExport(run: PassRun): Promise<void> {
  const { parts } = await run.step("order", "Reading the order", async ({ passObjects }, order) => {
    return { parts: (await readOrder(order, passObjects))?.parts ?? 1 };
  });
  run.expect(parts + 2);
  const sizes: number[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const [part, from]: [number, string] = [sizes.length, cursor];
    if (part === MAX_EXPORT_PARTS) throw new PassEnded(TOO_LONG);
    const written: { bytes: number; next: string | null } = await run.step(
      `part ${part}`,
      "Writing the file",
      async ({ writeExportPart, meter }, { crawl, id }) => {
        const { usage, bytes, next } = await writeExportPart({ crawl, id }, part, from);
        meter.add(usage);
        return { bytes, next };
      },
    );
    sizes.push(written.bytes);
    cursor = written.next;
  }
  await run.step("result", "Writing the file", async ({ passObjects }, order) => {
    await passObjects.putWholeResult(order, packJson(sizes));
    return null;
  });
  await completePass(run);
}

export const TOO_LONG = `it would take more than ${count(MAX_EXPORT_PARTS)} parts. Choose fewer pages, or use the command line, which has no such limit`;

type PassKey = Pick<Pass, "crawl" | "id">;

export async function putOrder(pass: PassKey, order: ExportOrder, objects: PassObjects): Promise<void> {
  await objects.put(pass, ORDER, packJson(order));
}

/** Null if its pass has gone. */
export async function readOrder(pass: PassKey, objects: PassObjects): Promise<ExportOrder | null> {
  const bytes = await objects.find(pass, ORDER);
  return bytes === null ? null : unpackJson<ExportOrder>(bytes);
}

/** It stays with the parts of the file. */
const ORDER = "file-order";

/** The sizes of the parts of a completed export, in bytes; null if there is no such file. */
export async function readPartSizes(pass: PassKey, objects: PassObjects): Promise<number[] | null> {
  const bytes = await objects.wholeResult(pass);
  return bytes === null ? null : unpackJson<number[]>(bytes);
}

import { Hono } from "hono";
import { logError } from "../../core/log.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { EXPORTED_NAMES } from "../../crawl/export-table.ts";
import type { Pass } from "../../crawl/report/pass.ts";
import type { Deps } from "../../frontier/deps.ts";
import { startExport } from "../../passes/export/start-export.ts";
import { readOrder, readPartSizes } from "../../passes/export/write-export.ts";
import { openExportFile } from "../../reading/exports/export-file.ts";
import { anyCrawlOf, wholeCrawlOf } from "../crawls/crawl-routes.ts";
import { FOREIGN } from "../foreign.ts";
import { refusal } from "../requests/request-problem.ts";
import { type BackgroundList, type BackgroundView, backgroundQuery, viewBackground } from "./background-schemas.ts";
import { EXPORT_WRITERS, isText } from "./export-formats.ts";
import { exportName } from "./export-name.ts";
import { openTextExport } from "./text-export.ts";

/**
 * /api/crawls/:id/exports: files that are made in the background, because one request may not read so much. A crawl has
 * one at a time, and a new one replaces it.
 */

export const backgroundRoutes = new Hono<{ Bindings: Env }>();

backgroundRoutes.post("/:id/exports", async (c) => {
  const query = backgroundQuery.parse(await c.req.json());
  const crawl = await wholeCrawlOf(c);
  const { deps } = c.var;
  const { parts } = await openTextExport(crawl, query, deps);
  const answer = await startExport(crawl, { query, parts }, deps);
  if (answer.kind === "refused") throw refusal(409, `This crawl cannot be exported in the background: ${answer.why}.`);
  const result = { ...(await describe(answer.pass, deps)), alreadyRunning: answer.kind === "already-running" };
  return c.json({ success: true, result }, 202);
});

backgroundRoutes.get("/:id/exports", async (c) => {
  const crawl = await wholeCrawlOf(c);
  const { deps } = c.var;
  const passes = (await deps.passes.list(crawl.id)).filter(({ kind }) => kind === "export");
  const exports = await Promise.all(passes.map((pass) => describe(pass, deps)));
  const result: BackgroundList = { exports, long: await findLong(crawl, deps) };
  return c.json({ success: true, result });
});

/** A client can continue a download with `Range: bytes=N-`. */
backgroundRoutes.get("/:id/exports/:export/file", async (c) => {
  const crawl = await anyCrawlOf(c);
  const { deps } = c.var;
  const pass = { crawl: crawl.id, id: c.req.param("export") };
  const [order, sizes] = [await readOrder(pass, deps.passObjects), await readPartSizes(pass, deps.passObjects)];
  if (order === null || sizes === null)
    throw refusal(404, `There is no such file. GET /api/crawls/${crawl.id}/exports lists those that are complete.`);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const from = Number(/^bytes=(\d+)-$/.exec(c.req.header("range") ?? "")?.[1] ?? 0);
  if (from > 0 && from >= bytes)
    return new Response(null, { status: 416, headers: { "content-range": `bytes */${bytes}` } });
  const { format } = backgroundQuery.parse(order.query);
  const { readable, writable } = new FixedLengthStream(bytes - from);
  // The client sees that the answer breaks off.
  openExportFile(pass, sizes, from, deps)
    .pipeTo(writable)
    .catch((error: unknown) => logError("export-failed", error));
  return new Response(readable, {
    status: from > 0 ? 206 : 200,
    headers: {
      ...FOREIGN,
      "accept-ranges": "bytes",
      "content-type": EXPORT_WRITERS[format].contentType,
      "content-disposition": `attachment; filename="${exportName(crawl, format)}"`,
      ...(from > 0 ? { "content-range": `bytes ${from}-${bytes - 1}/${bytes}` } : {}),
    },
  });
});

async function describe(pass: Pass, { passObjects }: Pick<Deps, "passObjects">): Promise<BackgroundView> {
  const order = await readOrder(pass, passObjects);
  const sizes = pass.status === "completed" ? await readPartSizes(pass, passObjects) : null;
  return viewBackground(pass, order === null ? null : backgroundQuery.parse(order.query).format, sizes);
}

async function findLong(crawl: Crawl, deps: Parameters<typeof openTextExport>[2]): Promise<BackgroundList["long"]> {
  const long: BackgroundList["long"] = [];
  for (const format of EXPORTED_NAMES.filter(isText)) {
    const file = await openTextExport(crawl, { format, rawText: true }, deps);
    if (!(await file.fits())) long.push(format);
  }
  return long;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { tinyPdf } from "../sites/tiny-pdf.ts";
import { crawl, readRecords, startWith } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Documents by the command line: they are read in a process of their own, which a document may end. */

const shared = shareServer();
const QUICK = ["--delay", "0", "--markdown"];
let site: Site;

beforeAll(async () => {
  const pdf = Buffer.from(tinyPdf("The manual", ["A page about looms.", "Another one about threads."]));
  const answer = (type: string, body: Buffer | string) => ({ headers: { "content-type": type }, body });
  site = await startHandmadeSite({
    "/": page("home", "/manual.pdf", "/download", "/broken.pdf", "/other"),
    "/other": page("other"),
    "/manual.pdf": answer("application/pdf", pdf),
    "/download": answer("application/octet-stream", pdf),
    "/broken.pdf": answer("application/pdf", "%PDF-1.4 and nothing more"),
  });
  shared.sites.push(site);
});

test("a document is a page with Markdown; a damaged one costs itself alone", async () => {
  const { byUrl, summary } = await crawl(shared.dir.path, `${site.origin}/`, ...QUICK, ...shared.served.remote);
  const at = (path: string) => byUrl.get(`${site.origin}${path}`);
  expect(summary).toMatchObject({ status: "completed", completed: 4, errored: 1 });
  expect(at("/manual.pdf")).toMatchObject({ status: "completed", title: "The manual", contentType: "application/pdf" });
  expect(at("/download")).toMatchObject({ status: "completed", title: "The manual" });
  expect(at("/broken.pdf")).toMatchObject({ status: "errored", reason: "damaged" });
  const markdown = readFileSync(join(shared.dir.path, "out", at("/manual.pdf")?.markdownFile ?? ""), "utf8");
  expect(markdown).toContain("A page about looms.");
  expect(markdown).toContain("Another one about threads.");
});

test("with --documents none no document is fetched", async () => {
  site.log.length = 0;
  const without = ["--documents", "none", ...QUICK, ...shared.served.remote];
  const { byUrl, summary } = await crawl(shared.dir.path, `${site.origin}/`, ...without);
  expect(summary).toMatchObject({ completed: 2, skipped: 1 });
  expect(byUrl.get(`${site.origin}/download`)).toMatchObject({ reason: "content-type" });
  expect(site.counts().get("/manual.pdf")).toBeUndefined();
});

test("a document on which the reader hangs ends as poison, and the others are pages", async () => {
  const out = join(shared.dir.path, "hung");
  const args = [
    "crawl",
    `${site.origin}/`,
    "--delay",
    "0",
    "--out",
    out,
    "--state",
    join(shared.dir.path, "hung-state"),
  ];
  // No document can be read so fast.
  const { code } = await startWith({ ORBWEAVER_READER_MS: "0" }, args).ended;
  expect(code).toBe(0);
  const found = readRecords(out).map(({ url, status, reason }) => [url.slice(site.origin.length), reason ?? status]);
  expect(found.sort()).toEqual([
    ["/", "completed"],
    ["/broken.pdf", "poison"],
    ["/download", "poison"],
    ["/manual.pdf", "poison"],
    ["/other", "completed"],
  ]);
});

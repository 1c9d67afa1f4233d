import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { HOSTILE_DOCUMENTS } from "../documents/hostile-documents.ts";
import { makeDocx, makeEpub, makeOdf, makePptx, makeXlsx, relations } from "../documents/made-documents.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { tinyPdf } from "../sites/tiny-pdf.ts";
import { slowPdf } from "../unit/media/pdf/costly-pdfs.ts";
import { crawl, readRecords, startWith } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Documents by the command line: they are read in a process of their own, which a document may end. */

const shared = shareServer();
const QUICK = ["--delay", "0", "--markdown"];
const OOXML = "application/vnd.openxmlformats-officedocument";
const ODF = "application/vnd.oasis.opendocument";
const TYPES = {
  docx: `${OOXML}.wordprocessingml.document`,
  xlsx: `${OOXML}.spreadsheetml.sheet`,
  pptx: `${OOXML}.presentationml.presentation`,
  odt: `${ODF}.text`,
  ods: `${ODF}.spreadsheet`,
  odp: `${ODF}.presentation`,
  rtf: "application/rtf",
  epub: "application/epub+zip",
  csv: "text/csv",
  json: "application/json",
  xml: "application/xml",
  rss: "application/rss+xml",
  pdf: "application/pdf",
  html: "text/html",
};
/** Documents as a program writes them. */
const WRITTEN = join(import.meta.dirname, "..", "documents", "libreoffice");
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

const MANUAL = ["A loom is a device that weaves cloth", "The warp beam", "The heddles", "Shuttle"];
const PARTS = ["| Shuttle | 12 |", "| Heddle | 340 |"];
const TO_DEEP = `<w:p><w:hyperlink r:id="l"><w:r><w:t>A text with a link</w:t></w:r></w:hyperlink></w:p>`;

test("documents of each kind are read, and hostile ones cost themselves alone", async () => {
  const typed = (extension: keyof typeof TYPES, body: Uint8Array | string) => ({
    headers: { "content-type": TYPES[extension] },
    body: Buffer.from(body),
  });
  const good = {
    "/a.docx": typed(
      "docx",
      makeDocx(TO_DEEP, { "word/_rels/document.xml.rels": relations(["l", "hyperlink", "/deep", true]) }),
    ),
    "/a.xlsx": typed("xlsx", makeXlsx({ One: "<sheetData><row><c><v>1.5</v></c></row></sheetData>" })),
    "/a.pptx": typed("pptx", makePptx(["<p:sp><p:txBody><a:p><a:r><a:t>A slide</a:t></a:r></a:p></p:txBody></p:sp>"])),
    "/a.odt": typed("odt", makeOdf("text", '<text:h text:outline-level="1">A heading</text:h>')),
    "/a.rtf": typed("rtf", String.raw`{\rtf1\ansi caf\'e9\par}`),
    "/a.epub": typed("epub", makeEpub({ "one.xhtml": "<html><body><h1>A chapter</h1></body></html>" })),
    "/a.csv": typed("csv", "a;b\n1;2"),
    "/a.json": typed("json", '{"a": 1}'),
    "/a.xml": typed("xml", "<a>text</a>"),
    "/a.rss": typed("rss", "<rss><channel><title>News</title><item><title>One</title></item></channel></rss>"),
  };
  const written = readdirSync(WRITTEN).filter((name) => !name.endsWith(".md"));
  for (const name of written)
    Object.assign(good, {
      [`/${name}`]: typed(extname(name).slice(1) as keyof typeof TYPES, readFileSync(join(WRITTEN, name))),
    });
  const hostile = HOSTILE_DOCUMENTS.filter(({ bytes }) => bytes.length > 0).map(({ extension, bytes, fault }, i) => {
    // A file of the format before 2007 is no document, unless it is called one.
    const called = extension === "doc" ? "docx" : (extension as keyof typeof TYPES);
    return { path: `/bad/${i}.${called}`, answer: typed(called, bytes), fault };
  });
  const mixed = await startHandmadeSite({
    "/": page("home", ...Object.keys(good), ...hostile.map(({ path }) => path)),
    "/deep": page("reached by a document alone"),
    ...good,
    ...Object.fromEntries(hostile.map(({ path, answer }) => [path, answer])),
  });
  shared.sites.push(mixed);
  const { byUrl } = await crawl(shared.dir.path, `${mixed.origin}/`, ...QUICK, ...shared.served.remote);
  const at = (path: string) => byUrl.get(`${mixed.origin}${path}`);
  for (const path of ["/", "/deep", ...Object.keys(good)])
    expect(at(path), path).toMatchObject({ status: "completed" });
  for (const name of written) {
    const file = at(`/${name}`)?.markdownFile ?? "";
    const markdown = readFileSync(join(shared.dir.path, "out", file), "utf8");
    const expected = name.startsWith("manual") ? [...MANUAL, "https://example.com/threads"] : PARTS;
    for (const words of expected) expect(markdown, name).toContain(words);
  }
  // One is another file, and its bytes say so.
  const expected = hostile.map(({ path, fault }) => [path, path.endsWith(".pptx") ? "content-type" : fault]);
  expect(hostile.map(({ path }) => [path, at(path)?.reason])).toEqual(expected);
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

test("slow documents of one host end as poison, and those of another host are pages", async () => {
  const answer = (body: Uint8Array) => ({ headers: { "content-type": "application/pdf" }, body: Buffer.from(body) });
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, i) => `/${kind}-${i}.pdf`);
  const [slow, honest] = [names("slow", 3), names("honest", 8)];
  const bytes = slowPdf();
  const hostile = await startHandmadeSite(Object.fromEntries(slow.map((path) => [path, answer(bytes)])));
  const other = await startHandmadeSite({
    "/": page("home", ...slow.map((path) => `${hostile.origin}${path}`), ...honest),
    ...Object.fromEntries(honest.map((path) => [path, answer(tinyPdf(path, ["Text."]))])),
  });
  shared.sites.push(hostile, other);
  const out = join(shared.dir.path, "slow");
  const state = join(shared.dir.path, "slow-state");
  const args = ["crawl", `${other.origin}/`, "--external", "--delay", "0", "--out", out, "--state", state];
  // The slow ones take some 15 s on a fast machine, and the honest ones less than one on a slow one.
  const settings = { ORBWEAVER_READER_MS: "5000", ORBWEAVER_READERS: "2", ALLOW_PRIVATE: "true" };
  const { code } = await startWith(settings, args).ended;
  expect(code).toBe(0);
  const byUrl = new Map(readRecords(out).map((record) => [record.url, record]));
  for (const path of honest) expect(byUrl.get(`${other.origin}${path}`)).toMatchObject({ status: "completed" });
  for (const path of slow)
    expect(byUrl.get(`${hostile.origin}${path}`)).toMatchObject({ status: "errored", reason: "poison" });
});

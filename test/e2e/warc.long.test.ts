import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WARCParser } from "warcio";
import { encode } from "../sites/encode.ts";
import { HTML } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** `--store warc`: WARC readers and our own reader get the bytes that the server sent. */

const dir = scratch();
let site: Site;
let served: Served;
let id: string;
let byUrl: Awaited<ReturnType<typeof crawl>>["byUrl"];

const TEXTS: Record<string, string> = {
  "utf-8": "Übung 漢字 текст",
  gbk: "网络爬虫",
  big5: "網路爬蟲",
  shift_jis: "ウェブクローラ",
  "euc-kr": "웹 크롤러",
  "windows-1251": "Поисковый робот",
  "utf-16le": "Поисковый робот",
};
const LABELS = Object.keys(TEXTS);
const CODINGS: Record<string, (body: Buffer) => Buffer> = {
  gzip: gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
};
/** The decoded body, by path. */
const bodies = new Map<string, Buffer>();
const ROBOTS = "User-agent: *\nDisallow: /forbidden\nSitemap: /packed.xml.gz\n";
const SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/text</loc></url></urlset>';
/** Bodies of answers that are no pages, by path; a sitemap is stored as the file that it is. */
const OTHERS: Record<string, { status: number; type: string; body: Buffer; coding?: string }> = {
  "/robots.txt": { status: 200, type: "text/plain", body: Buffer.from(ROBOTS) },
  "/sitemap.xml": { status: 200, type: "application/xml", body: Buffer.from(SITEMAP), coding: "deflate" },
  "/packed.xml.gz": { status: 200, type: "application/gzip", body: gzipSync(SITEMAP) },
  "/gone": { status: 404, type: "text/html", body: Buffer.from("<h1>Gone</h1>") },
  "/empty": { status: 200, type: "text/html", body: Buffer.alloc(0) },
};

beforeAll(async () => {
  const html = (text: string) => `<!doctype html><title>${text}</title><p>${text}</p>`;
  for (const label of LABELS) bodies.set(`/charset/${label}`, Buffer.from(encode(html(TEXTS[label] ?? ""), label)));
  for (const coding of Object.keys(CODINGS)) bodies.set(`/coding/${coding}`, Buffer.from(html(coding.repeat(400))));
  // The second and the third are found on the first, so its content is in the ledger before they come.
  const same = html(`the same <a href="/same/2">2</a> <a href="/same/3">3</a>`);
  for (const i of [1, 2, 3]) bodies.set(`/same/${i}`, Buffer.from(same));
  bodies.set("/text", Buffer.from("plain\r\ntext\0"));
  // It is not in the coding that its header names.
  bodies.set("/broken", Buffer.from(html("broken")));
  bodies.set(
    "/large",
    Buffer.from(
      html(Array.from({ length: 60_000 }, (_, i) => createHash("md5").update(String(i)).digest("hex")).join(" ")),
    ),
  );
  bodies.set(
    "/",
    Buffer.from(
      [...bodies.keys(), "/gone", "/moved", "/empty"]
        .filter((path) => !/same.[23]/.test(path))
        .map((path) => `<a href="${path}">x</a>`)
        .join("\n"),
    ),
  );
  site = await startSite(({ url = "/" }, response) => {
    if (url === "/moved") return void response.writeHead(301, { location: "/text" }).end();
    const other = OTHERS[url];
    if (other !== undefined) {
      const { status, type, coding } = other;
      const headers = { "content-type": type, ...(coding === undefined ? {} : { "content-encoding": coding }) };
      return void response.writeHead(status, headers).end(coding === "deflate" ? deflateSync(other.body) : other.body);
    }
    const body = bodies.get(url);
    if (body === undefined) return void response.writeHead(404).end("not here");
    const [, kind, name = ""] = url.split("/");
    const type =
      kind === "charset"
        ? { "content-type": `text/html; charset=${name}` }
        : url === "/text"
          ? { "content-type": "text/plain" }
          : HTML;
    const isCoded = kind === "coding" || kind === "broken";
    const coding = isCoded ? { "content-encoding": name || "gzip" } : {};
    response.writeHead(200, { ...type, ...coding, "set-cookie": ["a=1", "b=2"], "x-mark": "é" });
    response.end(kind === "coding" ? CODINGS[name]?.(body) : body);
  });
  // The file names its sitemap in full.
  const robots = OTHERS["/robots.txt"];
  if (robots !== undefined) robots.body = Buffer.from(ROBOTS.replace("Sitemap: ", `Sitemap: ${site.origin}`));
  served = await serve(join(dir.path, "served"));
  const crawled = await crawl(
    dir.path,
    `${site.origin}/`,
    "--delay",
    "0",
    "--concurrency",
    "4",
    "--store",
    "warc",
    "--markdown",
    "--search",
    "--max-attempts",
    "1",
    "--max-duplicates",
    "9",
    "--header",
    "Authorization: secret",
    ...served.remote,
  );
  id = crawled.summary.id;
  byUrl = crawled.byUrl;
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

interface Read {
  type: string;
  url: string;
  payload: Buffer;
  head: Headers | undefined;
  warc: Headers;
}

async function records(file: string): Promise<Read[]> {
  const found: Read[] = [];
  for await (const record of new WARCParser([readFileSync(file)] as never)) {
    const payload = Buffer.from((await record.readFully(false)) ?? new Uint8Array());
    const head = record.httpHeaders?.headers as Headers | undefined;
    found.push({
      type: record.warcType ?? "",
      url: record.warcTargetURI ?? "",
      payload,
      head,
      warc: record.warcHeaders.headers as Headers,
    });
  }
  return found;
}

test("--out contains every body byte for byte", () => {
  for (const [path, body] of bodies) {
    const record = byUrl.get(site.origin + path);
    expect([path, record?.status]).toEqual([path, "completed"]);
    expect(readFileSync(join(dir.path, "out", record?.file ?? "")).equals(body), path).toBe(true);
  }
});

test("warcio reads the exported WARC file byte for byte", async () => {
  const file = join(dir.path, "site.warc.gz");
  const { code, stderr } = await run("export", id, "--format", "warc", "--out", file, ...served.remote);
  expect([code, stderr.includes("Wrote")]).toEqual([0, true]);
  const all = await records(file);
  const of = (type: string) => all.filter((record) => record.type === type);
  expect(of("warcinfo").length).toBeGreaterThan(0);
  const captured = [...of("response"), ...of("revisit")];
  const paths = [...bodies.keys(), ...Object.keys(OTHERS), "/moved"];
  expect(captured.map(({ url }) => url).sort()).toEqual(paths.map((path) => site.origin + path).sort());
  for (const { url, payload, warc, head } of of("response")) {
    const path = url.slice(site.origin.length);
    const body = path === "/moved" ? Buffer.alloc(0) : (bodies.get(path) ?? OTHERS[path]?.body);
    expect(payload.equals(body as Buffer), url).toBe(true);
    expect(warc.get("WARC-Truncated") ?? null, url).toBe(path === "/broken" ? "unspecified" : null);
    expect(warc.get("WARC-Payload-Digest")).toBe(`sha256:${createHash("sha256").update(payload).digest("hex")}`);
    expect(head?.get("content-encoding") ?? null, url).toBeNull();
    expect([null, String(payload.length)]).toContain(head?.get("content-length") ?? null);
  }
  expect(
    of("response")
      .find(({ url }) => url.endsWith("/coding/gzip"))
      ?.head?.get("x-orig-content-encoding"),
  ).toBe("gzip");
  // The same content is stored once.
  expect(
    of("revisit")
      .map(({ url }) => url)
      .every((url) => url.includes("/same/")),
  ).toBe(true);
  expect(of("revisit")).toHaveLength(2);
  expect(of("request")).toHaveLength(paths.length);
  expect(readFileSync(file).toString("latin1")).not.toContain("secret");
  expect(of("request").some(({ payload }) => payload.includes("secret"))).toBe(false);
});

test("the records of an export belong together", async () => {
  const file = join(dir.path, "together.warc.gz");
  expect((await run("export", id, "--format", "warc", "--out", file, ...served.remote)).code).toBe(0);
  const all = await records(file);
  const ids = all.map(({ warc }) => warc.get("WARC-Record-ID"));
  expect(new Set(ids).size).toBe(all.length);
  for (const { type, url, warc } of all) {
    const info = type === "warcinfo" ? null : `<urn:uuid:${id}>`;
    expect([warc.get("WARC-Warcinfo-ID"), url.startsWith("urn:")], url).toEqual([info, false]);
    const other = warc.get("WARC-Concurrent-To");
    if (other !== null) expect(ids, url).toContain(other);
  }
  expect(all.filter(({ type }) => type === "warcinfo").map(({ warc }) => warc.get("WARC-Record-ID"))).toEqual([
    `<urn:uuid:${id}>`,
  ]);
  // Every digest of a block, by the bytes of the file.
  const bytes = gunzipSync(readFileSync(file));
  let checked = 0;
  for (let at = 0; at < bytes.length; checked++) {
    const start = bytes.indexOf("\r\n\r\n", at) + 4;
    const header = bytes.subarray(at, start).toString();
    const end = start + Number(/\r\nContent-Length: (\d+)\r\n/.exec(header)?.[1]);
    const digest = createHash("sha256").update(bytes.subarray(start, end)).digest("hex");
    expect(header).toContain(`WARC-Block-Digest: sha256:${digest}\r\n`);
    at = end + 4;
  }
  expect(checked).toBe(all.length);
});

test("a crawl without pages exports a WARC and a WACZ that can be read", async () => {
  const other = scratch();
  const seed = `${site.origin}/forbidden`;
  const { summary } = await crawl(other.path, seed, "--source", "links", "--store", "warc", ...served.remote);
  const exportAs = async (format: string) => {
    const out = join(other.path, `empty.${format}`);
    expect((await run("export", summary.id, "--format", format, "--out", out, ...served.remote)).code).toBe(0);
    return out;
  };
  const all = await records(await exportAs("warc"));
  expect(all.map(({ type, url }) => [type, url.slice(site.origin.length)])).toEqual([
    ["warcinfo", ""],
    ["response", "/robots.txt"],
    ["request", "/robots.txt"],
    ["metadata", "/robots.txt"],
  ]);
  const files = unzipSync(readFileSync(await exportAs("wacz")));
  expect(gunzipSync(files["indexes/index.cdx.gz"] as Uint8Array).toString()).toContain("/robots.txt");
  expect(Buffer.from(files["pages/pages.jsonl"] ?? []).toString()).toContain('"hasText":false');
  other.remove();
});

test("the index of an exported WACZ leads to each record", async () => {
  const file = join(dir.path, "site.wacz");
  expect((await run("export", id, "--format", "wacz", "--out", file, ...served.remote)).code).toBe(0);
  const files = unzipSync(readFileSync(file));
  const text = (name: string) => Buffer.from(files[name] ?? []).toString();
  const { resources } = JSON.parse(text("datapackage.json")) as {
    resources: { path: string; hash: string; bytes: number }[];
  };
  for (const { path, hash, bytes } of resources) {
    expect(files[path]?.length).toBe(bytes);
    expect(hash).toBe(
      `sha256:${createHash("sha256")
        .update(files[path] as Uint8Array)
        .digest("hex")}`,
    );
  }
  const lines = gunzipSync(files["indexes/index.cdx.gz"] as Uint8Array)
    .toString()
    .trim()
    .split("\n");
  expect(lines).toHaveLength(bodies.size + Object.keys(OTHERS).length + 1);
  expect(lines).toEqual([...lines].sort());
  const data = files["archive/data.warc.gz"] as Uint8Array;
  for (const line of lines) {
    const { url, offset, length } = JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>;
    const member = gunzipSync(data.subarray(Number(offset), Number(offset) + Number(length))).toString("latin1");
    expect(member).toContain(`WARC-Target-URI: ${url}\r\n`);
    expect(member).toMatch(/^WARC\/1\.1\r\nWARC-Type: (response|revisit)\r\n/);
  }
  const [header, ...pages] = text("pages/pages.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { url: string; hasText?: boolean; text?: string });
  expect([header?.hasText, pages.length]).toEqual([true, bodies.size]);
  expect(pages.find(({ url }) => url.endsWith("/charset/gbk"))?.text).toContain("网络爬虫");
});

test("exporting a crawl with --store files names the option to use", async () => {
  const other = scratch();
  const { summary } = await crawl(other.path, `${site.origin}/text`, "--store", "files", ...served.remote);
  const { code, stderr } = await run("export", summary.id, "--format", "warc", ...served.remote);
  expect([code, stderr.includes("store: warc")]).toEqual([1, true]);
  other.remove();
});

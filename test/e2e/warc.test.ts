import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
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

beforeAll(async () => {
  const html = (text: string) => `<!doctype html><title>${text}</title><p>${text}</p>`;
  for (const label of LABELS) bodies.set(`/charset/${label}`, Buffer.from(encode(html(TEXTS[label] ?? ""), label)));
  for (const coding of Object.keys(CODINGS)) bodies.set(`/coding/${coding}`, Buffer.from(html(coding.repeat(400))));
  // The second and the third are found on the first, so its content is in the ledger before they come.
  const same = html(`the same <a href="/same/2">2</a> <a href="/same/3">3</a>`);
  for (const i of [1, 2, 3]) bodies.set(`/same/${i}`, Buffer.from(same));
  bodies.set("/text", Buffer.from("plain\r\ntext\0"));
  bodies.set(
    "/large",
    Buffer.from(
      html(Array.from({ length: 60_000 }, (_, i) => createHash("md5").update(String(i)).digest("hex")).join(" ")),
    ),
  );
  bodies.set(
    "/",
    Buffer.from(
      [...bodies.keys(), "/gone", "/moved"]
        .filter((path) => !/same.[23]/.test(path))
        .map((path) => `<a href="${path}">x</a>`)
        .join("\n"),
    ),
  );
  site = await startSite(({ url = "/" }, response) => {
    if (url === "/moved") return void response.writeHead(301, { location: "/text" }).end();
    const body = bodies.get(url);
    if (body === undefined) return void response.writeHead(404).end("not here");
    const [, kind, name = ""] = url.split("/");
    const type =
      kind === "charset"
        ? { "content-type": `text/html; charset=${name}` }
        : url === "/text"
          ? { "content-type": "text/plain" }
          : HTML;
    const coding = kind === "coding" ? { "content-encoding": name } : {};
    response.writeHead(200, { ...type, ...coding, "set-cookie": ["a=1", "b=2"], "x-mark": "é" });
    response.end(kind === "coding" ? CODINGS[name]?.(body) : body);
  });
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

test("warcio reads the exported WARC file byte for byte", { timeout: 60_000 }, async () => {
  const file = join(dir.path, "site.warc.gz");
  const { code, stderr } = await run("export", id, "--format", "warc", "--out", file, ...served.remote);
  expect([code, stderr.includes("Wrote")]).toEqual([0, true]);
  const all = await records(file);
  const of = (type: string) => all.filter((record) => record.type === type);
  expect(of("warcinfo").length).toBeGreaterThan(0);
  const captured = [...of("response"), ...of("revisit")];
  expect(captured.map(({ url }) => url).sort()).toEqual([...bodies.keys()].map((path) => site.origin + path).sort());
  for (const { url, payload, warc, head } of of("response")) {
    const body = bodies.get(url.slice(site.origin.length));
    expect(payload.equals(body as Buffer), url).toBe(true);
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
  expect(of("request")).toHaveLength(bodies.size);
  expect(readFileSync(file).toString("latin1")).not.toContain("secret");
  expect(of("request").some(({ payload }) => payload.includes("secret"))).toBe(false);
});

test("the index of an exported WACZ leads to each record", { timeout: 60_000 }, async () => {
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
  const { gunzipSync } = await import("node:zlib");
  const lines = gunzipSync(files["indexes/index.cdx.gz"] as Uint8Array)
    .toString()
    .trim()
    .split("\n");
  expect(lines).toHaveLength(bodies.size);
  expect(lines).toEqual([...lines].sort());
  const data = files["archive/data.warc.gz"] as Uint8Array;
  for (const line of lines) {
    const { url, offset, length } = JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>;
    const member = gunzipSync(data.subarray(Number(offset), Number(offset) + Number(length))).toString("latin1");
    expect(member).toContain(`WARC-Target-URI: ${url}\r\n`);
    expect(member).toMatch(/^WARC\/1\.1\r\nWARC-Type: (response|revisit)\r\n/);
  }
  expect(text("pages/pages.jsonl").trim().split("\n")).toHaveLength(bodies.size + 1);
});

test("exporting a crawl with --store files names the option to use", { timeout: 60_000 }, async () => {
  const other = scratch();
  const { summary } = await crawl(other.path, `${site.origin}/text`, "--store", "files", ...served.remote);
  const { code, stderr } = await run("export", summary.id, "--format", "warc", ...served.remote);
  expect([code, stderr.includes("store: warc")]).toEqual([1, true]);
  other.remove();
});

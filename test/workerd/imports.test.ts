import { createExecutionContext, env } from "cloudflare:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { joinBytes } from "../../src/core/join-bytes.ts";

/** Answers of an archive through the API: read, stored, counted and ended, with nothing fetched. */

const encoder = new TextEncoder();
let archives = 0;

async function send(method: string, path: string, body?: BodyInit): Promise<Response> {
  const headers = { authorization: "Bearer test-token" };
  const FRONTIER = {
    sendBatch: async () => {
      throw new Error("a message was sent");
    },
  } as unknown as Queue;
  return app.request(
    path,
    { method, headers, ...(body === undefined ? {} : { body }) },
    { ...env, FRONTIER },
    createExecutionContext(),
  );
}

/** The same, with the nth call of the database or the mirror failing, as if the process had ended there. */
async function sendFailing(path: string, body: BodyInit, nth: number): Promise<Response> {
  let calls = 0;
  const failing = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(of, name) {
        const value = Reflect.get(of, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (names.includes(String(name)) && ++calls === nth) throw new Error("the process has ended");
          return value.apply(of, args);
        };
      },
    });
  const headers = { authorization: "Bearer test-token" };
  const bindings = { ...env, LEDGER: failing(env.LEDGER, ["batch"]), MIRROR: failing(env.MIRROR, ["put"]) };
  return app.request(path, { method: "POST", headers, body }, bindings, createExecutionContext());
}

async function call<T>(method: string, path: string, body?: BodyInit): Promise<T> {
  const answer = await send(method, path, body);
  const { result, errors } = (await answer.json()) as { result: T; errors?: { message: string }[] };
  if (!answer.ok) throw new Error(`${answer.status} ${errors?.[0]?.message}`);
  return result;
}

interface Sent {
  url: string;
  body?: string | Uint8Array;
  status?: number;
  headers?: [string, string][];
  hops?: string;
}

/** Without the renaming of codings that our own records have. */
function rawResponse({ url, body = "", status = 200, headers = [["content-type", "text/html"]] }: Sent): Uint8Array {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const head = `HTTP/1.1 ${status} \r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const length = encoder.encode(head).length + bytes.length;
  const warc = `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}\r\nWARC-Date: 2020-02-03T04:05:06Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: ${length}\r\n\r\n`;
  return joinBytes([encoder.encode(warc + head), bytes, encoder.encode("\r\n\r\n")]);
}

const page = (title: string, rest = "") =>
  `<!doctype html><html lang=en><title>${title}</title><body><main><h1>${title}</h1><p>The otters of ${title} swim every day in the river behind the old mill.</p>${rest}</main></body></html>`;

async function begin(urls: string[], answers = 1): Promise<string> {
  archives += 1;
  const archive = archives.toString(16).padStart(64, "a");
  const order = { archive, name: "site.warc.gz", urls, answers };
  return (await call<{ id: string }>("POST", "/api/imports", JSON.stringify(order))).id;
}

interface CrawlView {
  status: string;
  total: number;
  counts: Record<string, number>;
  purpose: string;
  archive: unknown;
}

const records = async (id: string) =>
  (await call<{ records: Record<string, unknown>[] }>("GET", `/api/crawls/${id}/records`)).records;

describe("an import", () => {
  test("ends as a crawl that can be read and searched, and fetches nothing", async () => {
    const id = await begin(["https://a.test/"], 6);
    const sent: Sent[] = [
      { url: "https://a.test/", body: page("Home", `<a href="/two">two</a><img src="/p.png">`) },
      { url: "https://a.test/two", body: page("Two") },
      {
        url: "https://a.test/p.png",
        body: Uint8Array.of(0x89, 0x50, 0x4e, 0x47),
        headers: [["content-type", "image/png"]],
      },
      { url: "https://a.test/old", status: 301, headers: [["location", "/two"]] },
      { url: "https://a.test/gone", status: 404, body: page("Gone") },
      { url: "https://a.test/busy", status: 503, body: page("Busy") },
    ];
    const body = joinBytes(sent.map(rawResponse));
    expect(await call("POST", `/api/imports/${id}/records`, body)).toEqual({ settled: 6 });
    expect(await call("POST", `/api/imports/${id}/records`, body)).toEqual({ settled: 0 });
    const leftOut = [{ reason: "not-http", count: 2, examples: ["dns:a.test"] }];
    const ended = await call<CrawlView>("POST", `/api/imports/${id}/end`, JSON.stringify({ leftOut }));
    expect(ended).toMatchObject({
      status: "completed",
      purpose: "import",
      total: 6,
      counts: { completed: 3, skipped: 1, errored: 2, queued: 0 },
      archive: { name: "site.warc.gz", answers: 6, leftOut: [{ reason: "not-http", count: 2 }] },
    });
    const byUrl = Object.fromEntries((await records(id)).map((record) => [record.url, record]));
    expect(byUrl["https://a.test/"]).toMatchObject({
      status: "completed",
      title: "Home",
      fetchedAt: "2020-02-03T04:05:06.000Z",
    });
    expect(byUrl["https://a.test/old"]).toMatchObject({ status: "skipped", reason: "redirected" });
    expect(byUrl["https://a.test/gone"]).toMatchObject({ status: "errored", reason: "http-status", httpStatus: 404 });
    expect(byUrl["https://a.test/p.png"]).toMatchObject({ status: "completed", asset: true });
    const found = await call<{ hits: { url: string }[] }>("GET", `/api/search?q=otters&crawl=${id}`);
    expect(found.hits.map(({ url }) => url).sort()).toEqual(["https://a.test/", "https://a.test/two"]);
    const markdown = await send("GET", `/api/crawls/${id}/page?url=https://a.test/two&format=markdown`);
    expect(await markdown.text()).toContain("# Two");
  });

  test("undoes codings and chunks, and keeps what is broken", async () => {
    const id = await begin(["https://b.test/"]);
    const html: [string, string] = ["content-type", "text/html"];
    const coded = (coding: string): [string, string][] => [html, ["content-encoding", coding]];
    const chunked = encoder.encode(page("Chunked"));
    const sent: Sent[] = [
      { url: "https://b.test/gzip", body: gzipSync(page("Gzip")), headers: coded("gzip") },
      { url: "https://b.test/br", body: brotliCompressSync(page("Brotli")), headers: coded("br") },
      { url: "https://b.test/deflate", body: deflateSync(page("Deflate")), headers: coded("deflate") },
      { url: "https://b.test/undone", body: page("Undone"), headers: coded("gzip") },
      { url: "https://b.test/undone-br", body: page("UndoneBr"), headers: coded("br") },
      {
        url: "https://b.test/chunked",
        body: joinBytes([
          encoder.encode(`${chunked.length.toString(16)}\r\n`),
          chunked,
          encoder.encode("\r\n0\r\n\r\n"),
        ]),
        headers: [html, ["transfer-encoding", "chunked"]],
      },
      {
        url: "https://b.test/odd",
        body: page("Odd"),
        headers: [html, ["x-odd", "caf\u00e9"], ["set-cookie", "a=b"]],
      },
    ];
    await call("POST", `/api/imports/${id}/records`, joinBytes(sent.map(rawResponse)));
    await call("POST", `/api/imports/${id}/end`, "{}");
    const titles = (await records(id)).map(({ url, title, status }) => [String(url).slice(15), title, status]);
    expect(titles).toEqual([
      ...[
        ["br", "Brotli", "completed"],
        ["chunked", "Chunked", "completed"],
        ["deflate", "Deflate", "completed"],
      ],
      ...[
        ["gzip", "Gzip", "completed"],
        ["odd", "Odd", "completed"],
        ["undone", "Undone", "completed"],
      ],
      ["undone-br", "UndoneBr", "completed"],
    ]);
  });

  test("gives each odd answer one final status", async () => {
    const id = await begin(["https://c.test/"]);
    const sent: Sent[] = [
      { url: "https://c.test/empty" },
      { url: "https://c.test/none", status: 204 },
      { url: "https://c.test/same", status: 304 },
      { url: "https://c.test/part", status: 206, body: page("Part") },
      { url: "https://c.test/refused", status: 999, body: page("Refused") },
      { url: "https://c.test/early", status: 103 },
      { url: "https://c.test/nowhere", status: 302 },
      { url: "https://c.test/noindex", body: page("Hidden", `<meta name=robots content=noindex>`) },
      { url: "https://c.test/robots.txt", body: "User-agent: *", headers: [["content-type", "text/plain"]] },
      { url: "https://c.test/script.js", body: "x()", headers: [["content-type", "text/javascript"]] },
      { url: "https://c.test/api", body: "{}", headers: [["content-type", "application/json"]] },
      { url: "https://c.test/typeless", body: page("Typeless"), headers: [] },
      {
        url: "https://c.test/large.png",
        headers: [
          ["content-type", "image/png"],
          ["content-length", "99000000"],
        ],
      },
    ];
    await call("POST", `/api/imports/${id}/records`, joinBytes(sent.map(rawResponse)));
    expect(await call<CrawlView>("POST", `/api/imports/${id}/end`, "{}")).toMatchObject({
      status: "completed",
      total: 13,
    });
    const found = (await records(id)).map(({ url, status, reason, asset, truncated }) =>
      [String(url).slice(15), status, reason, asset ? "asset" : "", truncated ?? ""].filter((word) => word).join(" "),
    );
    expect(found).toEqual([
      ...[
        "api completed asset",
        "early errored http-status",
        "empty skipped empty",
        "large.png skipped too-large asset",
      ],
      ...["noindex completed", "none skipped empty", "nowhere errored http-status", "part completed unspecified"],
      ...["refused errored http-status", "robots.txt completed asset", "same errored http-status"],
      ...["script.js completed asset", "typeless completed"],
    ]);
  });

  test("that was interrupted anywhere ends with the same set", async () => {
    const sent = Array.from({ length: 5 }, (_, i): Sent => ({ url: `https://d.test/${i}`, body: page(`Page ${i}`) }));
    const body = joinBytes(sent.map(rawResponse));
    let last = "";
    let failing = 1;
    for (; last !== "never failed"; failing++) {
      const id = await begin(["https://d.test/"], sent.length);
      const isFailed = !(await sendFailing(`/api/imports/${id}/records`, body, failing)).ok;
      last = isFailed ? "failed" : "never failed";
      // Rows that have not settled keep it open.
      if (isFailed && (await call<CrawlView>("GET", `/api/crawls/${id}`)).counts.queued)
        expect((await send("POST", `/api/imports/${id}/end`, "{}")).status).toBe(409);
      await call("POST", `/api/imports/${id}/records`, body);
      expect(await call<CrawlView>("POST", `/api/imports/${id}/end`, "{}")).toMatchObject({
        status: "completed",
        total: 5,
        counts: { completed: 5, queued: 0 },
      });
      expect((await records(id)).map(({ title }) => title)).toEqual(sent.map((_, i) => `Page ${i}`));
    }
    // The rows, the pack, and the transaction of the commit.
    expect(failing).toBeGreaterThan(4);
  });

  test("is not resumed, retried or watched, and takes nothing after its end", async () => {
    const id = await begin(["https://e.test/"]);
    const body = rawResponse({ url: "https://e.test/", body: page("One") });
    expect((await send("POST", `/api/crawls/${id}/resume`)).status).toBe(409);
    await call("POST", `/api/imports/${id}/records`, body);
    await call("POST", `/api/imports/${id}/end`, "{}");
    for (const [path, sent] of [
      ["resume", ""],
      ["retry", "{}"],
      ["watch", '{"everyS":86400}'],
    ] as const) {
      const answer = await send("POST", `/api/crawls/${id}/${path}`, sent);
      expect([path, answer.status]).toEqual([path, 409]);
      expect(await answer.text()).toContain("holds the answers of site.warc.gz and fetches nothing");
    }
    expect((await send("POST", `/api/imports/${id}/records`, body)).status).toBe(409);
    // Said twice, its end changes nothing.
    expect(await call("POST", `/api/imports/${id}/end`, "{}")).toMatchObject({ status: "completed" });
  });

  test("reads no more of a body than its limit", async () => {
    const id = await begin(["https://g.test/"]);
    const chunk = new Uint8Array(1024 * 1024);
    let taken = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      taken += 1;
      if (taken > 60) controller.close();
      else controller.enqueue(chunk);
    };
    const answer = await send("POST", `/api/imports/${id}/records`, new ReadableStream({ pull }));
    expect([answer.status, taken <= 30]).toEqual([413, true]);
  });

  test.each<[name: string, body: () => Uint8Array]>([
    ["no WARC", () => encoder.encode("<html>")],
    ["a record that breaks off", () => rawResponse({ url: "https://f.test/" }).subarray(0, -20)],
    ["a URL of another scheme", () => rawResponse({ url: "ftp://f.test/" })],
    [
      "too many answers",
      () => joinBytes(Array.from({ length: 25 }, (_, i) => rawResponse({ url: `https://f.test/${i}` }))),
    ],
  ])("refuses %s", async (_, body) => {
    const id = await begin(["https://f.test/"]);
    expect((await send("POST", `/api/imports/${id}/records`, body())).status).toBe(400);
  });
});

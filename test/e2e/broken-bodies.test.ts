import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, type Served, scratch, serveFast } from "./cli.ts";

/**
 * Bodies that break off or violate their coding. Each is tried again, and the last try is kept, as browsers show it.
 */

const ATTEMPTS = 2;
/** Text that does not compress, so half of the compressed body is about half of the page. */
const TEXT = Array.from({ length: 2_000 }, (_, i) => createHash("sha256").update(String(i)).digest("hex")).join(" ");
const whole = (name: string) => Buffer.from(`${page(name, `/from-${name}`)}<p>${TEXT}</p>`);
const half = (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2);

interface Case {
  /** The mark in the record. */
  truncated: "disconnect" | "unspecified" | null;
  answer(response: ServerResponse, body: Buffer): void;
}

/** An answer of these bytes with a content coding. */
const coded = (coding: string, toBytes: (body: Buffer) => Uint8Array): Case["answer"] => {
  return (response, body) => response.writeHead(200, { ...HTML, "content-encoding": coding }).end(toBytes(body));
};
/** Sends the beginning of the body, and closes the connection. */
const cut = (response: ServerResponse, headers: Record<string, string | number>, sent: Uint8Array) => {
  response.writeHead(200, { ...HTML, ...headers });
  response.write(sent, () => response.destroy());
};

const CASES: Record<string, Case> = {
  "cut-length": {
    truncated: "disconnect",
    answer: (response, body) => cut(response, { "content-length": body.length }, half(body)),
  },
  "cut-chunks": { truncated: "disconnect", answer: (response, body) => cut(response, {}, half(body)) },
  "cut-gzip": {
    truncated: "disconnect",
    answer: (response, body) => cut(response, { "content-encoding": "gzip" }, half(gzipSync(body))),
  },
  "gzip-cut-short": { truncated: "unspecified", answer: coded("gzip", (body) => half(gzipSync(body))) },
  "br-cut-short": { truncated: "unspecified", answer: coded("br", (body) => half(brotliCompressSync(body))) },
  "gzip-and-garbage": {
    truncated: "unspecified",
    answer: coded("gzip", (body) => Buffer.concat([gzipSync(body), Buffer.from("<!-- cached -->")])),
  },
  "not-gzip": { truncated: "unspecified", answer: coded("gzip", (body) => body) },
  "not-br": { truncated: "unspecified", answer: coded("br", (body) => body) },
  "not-deflate": { truncated: "unspecified", answer: coded("deflate", (body) => body) },
};

/** A sitemap that lists one page, and does not compress. */
const listing = (name: string) => {
  const loc = `<url><loc>${site.origin}/listed-by-${name}</loc></url>`;
  return Buffer.from(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${loc}<!-- ${TEXT} --></urlset>`);
};
const SITEMAPS: Record<string, (response: ServerResponse) => void> = {
  "cut.xml": (response) => cut(response, {}, half(listing("cut.xml"))),
  "gzip-cut-short.xml": (response) =>
    coded("gzip", (body) => half(gzipSync(body)))(response, listing("gzip-cut-short.xml")),
};

const dir = scratch();
let site: Site;
let served: Served;
let result: Awaited<ReturnType<typeof crawl>>;

beforeAll(async () => {
  let flaky = 0;
  // The clock is fast, because a retry waits ten seconds.
  served = await serveFast(join(dir.path, "served"), 20);
  site = await startSite(({ url = "/" }, response) => {
    const name = url.slice(1);
    if (CASES[name] !== undefined) CASES[name].answer(response, whole(name));
    else if (name === "flaky" && flaky++ === 0) cut(response, {}, half(whole(name)));
    else if (SITEMAPS[name] !== undefined) SITEMAPS[name](response);
    else if (name === "robots.txt")
      response.end(
        Object.keys(SITEMAPS)
          .map((map) => `Sitemap: ${site.origin}/${map}`)
          .join("\n"),
      );
    else response.writeHead(200, HTML).end(page(name, ...(name === "" ? ["flaky", ...Object.keys(CASES)] : [])));
  });
  const flags = ["--delay", "0", "--max-attempts", String(ATTEMPTS), "--concurrency", "8", ...served.remote];
  result = await crawl(dir.path, `${site.origin}/`, ...flags);
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

test.each(Object.entries(CASES))("%s", (name, { truncated }) => {
  const record = result.byUrl.get(`${site.origin}/${name}`);
  expect(record, record?.explanation ?? "").toMatchObject({ status: "completed", title: name, truncated });
  expect(site.counts().get(`/${name}`)).toBe(ATTEMPTS);
  // The links that came are followed.
  expect(result.byUrl.get(`${site.origin}/from-${name}`)?.status).toBe("completed");
});

test("what came is kept to its last byte", () => {
  const sizeOf = (name: string) => result.byUrl.get(`${site.origin}/${name}`)?.bytes ?? 0;
  for (const name of ["cut-length", "cut-chunks"])
    expect([name, sizeOf(name)]).toEqual([name, half(whole(name)).length]);
  for (const name of ["gzip-and-garbage", "not-gzip", "not-br", "not-deflate"])
    expect([name, sizeOf(name)]).toEqual([name, whole(name).length]);
  for (const name of ["cut-gzip", "gzip-cut-short", "br-cut-short"]) {
    expect([name, sizeOf(name) / whole(name).length > 0.4]).toEqual([name, true]);
    expect([name, sizeOf(name) / whole(name).length < 0.6]).toEqual([name, true]);
  }
});

test("a body that is whole at the second try is not marked", () => {
  expect(result.byUrl.get(`${site.origin}/flaky`)).toMatchObject({ status: "completed", truncated: null });
  expect(site.counts().get("/flaky")).toBe(2);
});

test.each(["cut.xml", "gzip-cut-short.xml"])("what came of a sitemap is read: %s", (name) => {
  expect(result.byUrl.get(`${site.origin}/listed-by-${name}`)?.status).toBe("completed");
  expect(site.counts().get(`/${name}`)).toBe(ATTEMPTS);
});

import { createExecutionContext, env } from "cloudflare:test";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { expect, test, vi } from "vitest";
import { sha256Of } from "../../src/archive/sha256.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { NEWEST } from "../../src/crawl/watch/memento.ts";
import { capturePage } from "../../src/fetch/answer/capture-page.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import type { Gate } from "../../src/host/gate-protocol.ts";
import { exportWacz } from "../../src/reading/exports/export-archive.ts";
import { findReplay } from "../../src/reading/replay/find-replay.ts";
import { readStoredContent, readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { exportRecords, type WarcRecord } from "./read-warc.ts";
import { type Web, World, type WorldOptions } from "./world.ts";

/** A packed crawl's archive holds every answer, and its records belong together. */

const SEED = "https://a.test/";
const web: Web = (url) => {
  if (url === SEED) return { links: [`${SEED}moved`, `${SEED}gone`, `${SEED}busy`, `${SEED}about`, `${SEED}page`] };
  if (url === `${SEED}moved`) return { redirect: `${SEED}target` };
  if (url === `${SEED}gone`) return { status: 404 };
  if (url === `${SEED}busy`) return { status: 500 };
  return { links: url === `${SEED}page` ? [`${SEED}late`] : [] };
};

async function crawlArchive(
  options: WorldOptions = {},
): Promise<{ world: World; crawl: string; records: WarcRecord[] }> {
  const world = new World(web, options);
  const { fetchPage } = world.deps;
  const same = new TextEncoder().encode("the same");
  world.deps.fetchPage = async (request, secrets) => {
    const page = await fetchPage(request, secrets);
    if (page.kind !== "page" || request.capture === null) return page;
    const isCopy = /page|late$/.test(request.url);
    const body = isCopy ? same : new TextEncoder().encode(request.url);
    const content = new TextEncoder().encode('{"markdown":"# Made"}');
    const head = { statusText: "OK", date: 1_000, headers: [], requestHeaders: [] };
    return capturePage(request.url, { ...page, body, content, sha256: sha256Of(body) }, head, request.capture);
  };
  const crawl = await world.start([SEED], { store: "warc", maxAttempts: 2 });
  await world.runToEnd(crawl);
  return { world, crawl, records: await exportRecords(crawl, world.deps) };
}

const of = (records: WarcRecord[], ...types: string[]) => records.filter(({ type }) => types.includes(type));
const statusLine = ({ block }: WarcRecord) => new TextDecoder().decode(block).split("\r\n", 1)[0];

test("a redirect, an error and robots.txt are records beside the pages, and each request has its answer", async () => {
  const { records } = await crawlArchive();
  const answers = of(records, "response", "revisit").map((record) => [
    record.url.slice(SEED.length),
    statusLine(record)?.split(" ")[1],
  ]);
  expect(answers.toSorted()).toEqual([
    ["", "200"],
    ["about", "200"],
    ["busy", "500"],
    ["gone", "404"],
    ["late", "200"],
    ["moved", "302"],
    ["page", "200"],
    ["robots.txt", "200"],
    ["target", "200"],
  ]);
  expect(
    of(records, "request")
      .map(({ url }) => url)
      .toSorted(),
  ).toEqual(
    of(records, "response", "revisit")
      .map(({ url }) => url)
      .toSorted(),
  );
});

/** Answers of 200 that are no pages of the crawl, with the payloads of their records. */
const LARGE = "x".repeat(5_000);
const REJECTED: Record<
  string,
  { type: string; body: string; coding?: string; length?: number; kept: string; end: string; cut?: string }
> = {
  manual: { type: "application/pdf", body: "%PDF-1.7", kept: "", end: "content-type", cut: "unspecified" },
  unnamed: { type: "", body: "%PDF-1.7 \0\x01", kept: "%PDF-1.7 \0\x01", end: "content-type" },
  declared: { type: "text/html", body: LARGE, length: 5_000, kept: "", end: "too-large", cut: "length" },
  endless: { type: "text/html", body: LARGE, kept: LARGE.slice(0, 1_000), end: "too-large", cut: "length" },
  coded: { type: "text/html", body: "\0\x01", coding: "zz", kept: "", end: "content-type", cut: "unspecified" },
  "no-page": {
    type: "text/html",
    body: "<title>404 Not Found</title>",
    kept: "<title>404 Not Found</title>",
    end: "soft-404",
  },
};

test("answers that the crawl does not keep as pages are records, and the index lists them with their status", async () => {
  vi.stubGlobal("fetch", async (asked: string) => {
    const name = asked.slice(SEED.length);
    const links = Object.keys(REJECTED).map((path) => `<a href="/${path}">${path}</a>`);
    const { type, body, coding, length } = REJECTED[name.startsWith("no-such-page") ? "no-page" : name] ?? {
      type: "text/html",
      body: `<title>Home</title>${links.join("")}`,
    };
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    void writer
      .write(new TextEncoder().encode(body))
      .then(() => writer.close())
      .catch(() => undefined);
    const headers = new Headers({ "content-type": type });
    if (type === "") headers.delete("content-type");
    if (coding !== undefined) headers.set("content-encoding", coding);
    if (length !== undefined) headers.set("content-length", String(length));
    return new Response(readable, { headers, encodeBody: "manual" });
  });
  const world = new World(web);
  world.deps.fetchPage = (request, secrets) =>
    new PageFetcher(createExecutionContext(), env).fetchPage(request, secrets);
  const crawl = await world.start([SEED], { store: "warc", maxBodyBytes: 1_000, formats: ["markdown"] });
  await world.runToEnd(crawl);
  vi.unstubAllGlobals();

  const records = await exportRecords(crawl, world.deps);
  const found = Object.fromEntries(
    of(records, "response")
      .filter(({ url }) => url.slice(SEED.length) in REJECTED)
      .map(({ url, fields, block }) => {
        const [, payload] = new TextDecoder().decode(block).split("\r\n\r\n");
        return [url.slice(SEED.length), [payload, fields.get("warc-truncated")]];
      }),
  );
  expect(found).toEqual(
    Object.fromEntries(Object.entries(REJECTED).map(([path, { kept, cut }]) => [path, [kept, cut]])),
  );
  expect(of(records, "request")).toHaveLength(of(records, "response").length);

  const reasons: Record<string, string | null> = {};
  for (const path of Object.keys(REJECTED)) {
    const row = await world.deps.records.get(crawl, SEED + path);
    reasons[path] = row?.reason ?? null;
    expect([row?.bytes, row?.sha256], path).toEqual([null, null]);
    expect(await world.deps.records.packed(crawl, SEED + path), path).toBeNull();
  }
  expect(reasons).toEqual(Object.fromEntries(Object.entries(REJECTED).map(([path, { end }]) => [path, end])));
  const state = (await world.deps.ledger.crawl(crawl)) as Crawl;
  expect([state.counters.completed, state.counters.skipped, state.counters.errored]).toEqual([1, 5, 1]);

  // The index leads to each record.
  const { open } = await exportWacz(state, world.deps.archiveIndex, world.deps);
  const files = unzipSync(new Uint8Array(await new Response(open(0)).arrayBuffer()));
  const data = files["archive/data.warc.gz"] as Uint8Array;
  const lines = new TextDecoder()
    .decode(gunzipSync(files["indexes/index.cdx.gz"] as Uint8Array))
    .trim()
    .split("\n");
  const listed = lines.map((line) => JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>);
  expect(listed.map(({ url, status }) => [url, status]).toSorted()).toEqual(
    [SEED, `${SEED}robots.txt`, ...Object.keys(REJECTED).map((path) => SEED + path)]
      .map((url) => [url, "200"])
      .toSorted(),
  );
  for (const { url, offset, length } of listed) {
    const member = gunzipSync(data.subarray(Number(offset), Number(offset) + Number(length)));
    expect(new TextDecoder().decode(member)).toContain(`WARC-Target-URI: ${url}\r\n`);
  }
  expect(new TextDecoder().decode(files["pages/pages.jsonl"]).trim().split("\n")).toHaveLength(2);
});

test("ids are unique, no record names one that is not there, and each names the crawl's warcinfo", async () => {
  const { crawl, records } = await crawlArchive();
  const ids = records.map(({ fields }) => fields.get("warc-record-id"));
  expect(new Set(ids).size).toBe(records.length);
  expect(of(records, "revisit").map(({ url }) => url)).toEqual([`${SEED}late`]);
  for (const { type, fields } of records) {
    const other = fields.get("warc-concurrent-to");
    expect(other === undefined ? type !== "request" : ids.includes(other), type).toBe(true);
    if (type !== "warcinfo") expect(fields.get("warc-warcinfo-id")).toBe(`<urn:uuid:${crawl}>`);
  }
  expect(of(records, "warcinfo").map(({ fields }) => fields.get("warc-record-id"))).toEqual([`<urn:uuid:${crawl}>`]);
});

test("every record has the digest of its block", async () => {
  const { records } = await crawlArchive();
  for (const { type, fields, block } of records)
    expect(fields.get("warc-block-digest"), type).toBe(`sha256:${sha256Of(block)}`);
});

test("what was made of pages can be read, and is in no export", async () => {
  const { world, crawl, records } = await crawlArchive();
  expect(records.filter(({ url }) => url.startsWith("urn:"))).toEqual([]);
  const state = (await world.deps.ledger.crawl(crawl)) as Crawl;
  for (const url of [SEED, `${SEED}page`, `${SEED}late`]) {
    const row = await world.deps.records.packed(crawl, url);
    expect(await readStoredContent(state, url, ["markdown"], world.deps, row)).toEqual({ markdown: "# Made" });
    expect(await readStoredPage(state, url, world.deps)).not.toBeNull();
  }
});

test("robots.txt is recorded once for a crawl and its origin, also when a commit fails", async () => {
  let commits = 0;
  const { records } = await crawlArchive({
    beforeCommit: () => {
      commits += 1;
      if (commits === 1) throw new Error("the ledger is away");
    },
  });
  expect(commits).toBeGreaterThan(2);
  expect(of(records, "response").filter(({ url }) => url.endsWith("/robots.txt"))).toHaveLength(1);
});

test.each([
  ["once", 1, 1],
  ["twice", 2, 0],
])("a gate that fails %s in the only batch of a crawl", async (_, failures, recorded) => {
  const world = new World(() => ({ links: [] }));
  const { gate } = world.deps;
  let asked = 0;
  world.deps.gate = (host) => {
    const stub = gate(host);
    const recall: Gate["recall"] = async (request) => {
      if (request.withExchanges === true && asked++ < failures) throw new Error("the gate is away");
      return stub.recall(request);
    };
    return { ...stub, recall };
  };
  const crawl = await world.start([SEED], { store: "warc" });
  await world.runToEnd(crawl);
  const responses = of(await exportRecords(crawl, world.deps), "response").map(({ url }) => url);
  expect(responses.filter((url) => url === SEED)).toHaveLength(1);
  expect(responses.filter((url) => url.endsWith("/robots.txt"))).toHaveLength(recorded);
});

test("a redirect or an error in a pack is no page: a replay follows the one, and has nothing for the other", async () => {
  const { world, crawl } = await crawlArchive();
  const state = (await world.deps.ledger.crawl(crawl)) as Crawl;
  const moved = await findReplay(state, `${SEED}moved`, NEWEST, world.deps);
  expect(moved).toMatchObject({ kind: "redirect", target: `${SEED}target` });
  expect((await findReplay(state, `${SEED}gone`, NEWEST, world.deps)).kind).toBe("none");
});

test("only the answer to the last attempt is kept", async () => {
  const { records } = await crawlArchive();
  expect(of(records, "response").filter(({ url }) => url.endsWith("/busy"))).toHaveLength(1);
});

test("a crawl without pages exports its warcinfo record", async () => {
  const world = new World(() => ({ links: [] }));
  const userAgent = "Test/1 (+https://ops.test/bot)";
  const crawl = await world.start([SEED], { store: "warc", userAgent });
  const [info, ...others] = await exportRecords(crawl, world.deps);
  expect([info?.type, others]).toEqual(["warcinfo", []]);
  const fields = new TextDecoder().decode(info?.block);
  expect(fields).toContain("operator: https://ops.test/bot\r\n");
  expect(fields).toContain(`http-header-user-agent: ${userAgent}\r\n`);
  expect(fields).toContain("robots: robots.txt is obeyed (RFC 9309); robots directives of pages are obeyed\r\n");
});

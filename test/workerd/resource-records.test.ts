import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { sha256Of } from "../../src/archive/sha256.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { captureAnswer } from "../../src/fetch/answer/capture-page.ts";
import type { ExchangeName } from "../../src/fetch/browser/exchanges.ts";
import { exportWacz } from "../../src/reading/exports/export-archive.ts";
import { exportRecords } from "./read-warc.ts";
import { World } from "./world.ts";

/** What rendered pages ask for stands in the crawl's archive, each answer once. */

const SEED = "https://a.test/";

function resource(path: string, body: string) {
  const payload = new TextEncoder().encode(body);
  const head = { status: 200, statusText: "OK", headers: [["content-type", "text/javascript"]] as [string, string][] };
  const url = `${SEED}${path}`;
  const request = { warcinfoId: "", via: SEED, hops: "LE" };
  const sha256 = sha256Of(payload);
  const { answer } = captureAnswer(url, { ...head, date: 2_000, requestHeaders: [], payload, durationMs: 1 }, request);
  if (answer === null) throw new Error("no record");
  return { ...answer, url, sha256 };
}

/** A crawl whose pages ask for a script that they share, and for data that is the page's own. */
async function crawlRendered(store: "warc" | "files") {
  const world = new World((url) => ({ links: url === SEED ? [`${SEED}1`, `${SEED}2`] : [] }));
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    const page = await fetchPage(request, secrets);
    if (page.kind !== "page" || page.capture === null) return page;
    const resources = [resource("app.js", "draw()"), resource("data.json", request.url), resource("same.js", "same")];
    return { ...page, capture: { ...page.capture, resources } };
  };
  const crawl = await world.start([SEED], { store, source: "links" });
  await world.runToEnd(crawl);
  return { world, crawl };
}

test("answers of several pages of a batch are stored once, and newer ones beside the older ones", async () => {
  const { world, crawl } = await crawlRendered("warc");
  const records = await exportRecords(crawl, world.deps);
  const responses = records.filter(({ type, url }) => type === "response" && /\.js/.test(url));
  // The seed has a batch of its own, and the gateway was not asked here what the archive has.
  const count = (path: string) => responses.filter(({ url }) => url === `${SEED}${path}`).length;
  expect([count("app.js"), count("same.js"), count("data.json")]).toEqual([2, 2, 3]);
  for (const { url } of responses)
    expect(records.filter(({ type, url: one }) => type === "request" && one === url)).toHaveLength(
      count(url.slice(SEED.length)),
    );
});

test("the index leads to them with their digests", async () => {
  const { world, crawl } = await crawlRendered("warc");
  const state = (await world.deps.ledger.crawl(crawl)) as Crawl;
  const { open } = await exportWacz(state, world.deps.archiveIndex, world.deps);
  const files = unzipSync(new Uint8Array(await new Response(open(0)).arrayBuffer()));
  const data = files["archive/data.warc.gz"] as Uint8Array;
  const lines = new TextDecoder()
    .decode(gunzipSync(files["indexes/index.cdx.gz"] as Uint8Array))
    .trim()
    .split("\n");
  const listed = lines.map((line) => JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>);
  const script = listed.find(({ url }) => url === `${SEED}app.js`);
  const { sha256 } = resource("app.js", "draw()");
  expect(script).toMatchObject({ mime: "text/javascript", status: "200", digest: `sha256:${sha256}` });
  const [at, length] = [Number(script?.offset), Number(script?.length)];
  expect(gunzipSync(data.subarray(at, at + length)).toString()).toContain("\r\n\r\ndraw()\r\n\r\n");
});

test("only answers that the archive lacks are asked for", async () => {
  const { world, crawl } = await crawlRendered("warc");
  const { archiveIndex } = world.deps;
  const named = (path: string, body: string): ExchangeName => {
    const { url, sha256 } = resource(path, body);
    return { url, sha256 };
  };
  const page = { url: `${SEED}1`, sha256: (await world.deps.records.get(crawl, `${SEED}1`))?.sha256 ?? "" };
  const lacking = [named("app.js", "changed"), named("other.js", "draw()"), { ...page, sha256: "0" }];
  expect(await archiveIndex.unarchived(crawl, [named("app.js", "draw()"), page, ...lacking])).toEqual(lacking);
  expect(await archiveIndex.unarchived(crypto.randomUUID(), [page])).toEqual([page]);
});

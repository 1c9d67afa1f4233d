import { expect, test } from "vitest";
import { sha256Of } from "../../src/archive/sha256.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { capturePage } from "../../src/fetch/capture-page.ts";
import { findReplay } from "../../src/reading/replay/find-replay.ts";
import { readStoredContent, readStoredPage } from "../../src/store/read-mirror.ts";
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
  world.deps.fetchPage = async (request) => {
    const page = await fetchPage(request);
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

test("a redirect or an error in a pack is no page: a replay follows the one, and has nothing for the other", async () => {
  const { world, crawl } = await crawlArchive();
  const state = (await world.deps.ledger.crawl(crawl)) as Crawl;
  expect(await findReplay(state, `${SEED}moved`, world.deps)).toEqual({ kind: "redirect", target: `${SEED}target` });
  expect((await findReplay(state, `${SEED}gone`, world.deps)).kind).toBe("none");
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

import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { FindingsView } from "../../src/api/views.ts";
import type { ComparedFinding } from "../../src/graph/problems/compare-findings.ts";
import { hashId } from "../../src/media/id-hash.ts";
import type { PageLink } from "../../src/media/links/links.ts";
import { readAll } from "../../src/passes/links/report-object.ts";
import { PassRun } from "../../src/passes/pass-run.ts";
import { runPass } from "../../src/passes/run-pass.ts";
import { openSiteReport } from "../../src/reading/analysis/site-report.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { dieNowAndThen } from "./die-now-and-then.ts";
import { type KeptPage, keepSite } from "./kept-site.ts";
import { Random } from "./platform/random.ts";
import { World } from "./world.ts";

/** The site report of a pass over sites whose links are known, and the API that reads it. */

const SITE = "https://a.test/";

async function newCrawl(pages: KeptPage[]) {
  const world = new World(() => ({ links: [] }));
  const id = await world.start([SITE], {});
  await world.runToEnd(id);
  await keepSite(id, pages);
  return { world, id };
}

const analyze = ({ world, id }: { world: World; id: string }) => analyzeCrawl(id, world);

async function findingsOf({ world, id }: { world: World; id: string }): Promise<ComparedFinding[]> {
  const crawl = await world.deps.ledger.crawl(id);
  const report = crawl === null ? null : await openSiteReport(crawl, world.deps);
  const findings: ComparedFinding[] = [];
  if (report !== null) for await (const finding of readAll(report.file)) findings.push(finding);
  return findings;
}

function link(url: string, more: Partial<PageLink> = {}): PageLink {
  return { url, text: "", kind: "a", rel: "", place: "content", fragment: null, nofollow: false, ...more };
}

const page = (path: string, links: PageLink[], more: KeptPage["page"] = {}): KeptPage => ({
  url: SITE + path,
  page: { title: `Title ${path}`, description: `About ${path}`, ids: [], links, ...more },
});
const gone = (path: string, status = 404): KeptPage => ({
  url: SITE + path,
  row: { status: "errored", reason: "http-status", http_status: status },
});
const tell = ({ kind, page: at, target, text, place, hops, detail, change }: ComparedFinding) =>
  [kind, change, at, target, text, place, hops?.join(" > "), detail]
    .filter((part) => part !== undefined)
    .join(" | ")
    .replaceAll(SITE, "/");

test("every broken link of a generated site is found with its words and place, and nothing else", async () => {
  const random = new Random(17);
  const expected: string[] = [];
  const pages: KeptPage[] = [];
  for (let i = 0; i < 60; i++) {
    const path = i === 0 ? "" : `p${i}`;
    const links = Array.from({ length: 8 }, (_, n) => {
      const place = random.oneOf(["content", "navigation"] as const);
      const isBroken = random.chance(0.1);
      const target = isBroken ? `gone${random.between(0, 6)}` : `p${random.between(1, 59)}`;
      if (isBroken) expected.push(`broken-link | still | /${path} | /${target} | Words ${n} | ${place} | status 404`);
      return link(SITE + target, { text: `Words ${n}`, place });
    });
    pages.push(page(path, links));
  }
  for (let i = 0; i < 7; i++) pages.push(gone(`gone${i}`));
  const crawl = await newCrawl(pages);
  await analyze(crawl);
  const found = (await findingsOf(crawl)).map(tell);
  expect(expected.length).toBeGreaterThan(20);
  expect(found.filter((line) => !line.startsWith("deep-page")).sort()).toEqual(expected.sort());
});

test("rows and pages of each kind give their findings, in the report's order", async () => {
  const listed = { via: `${SITE}sitemap.xml` };
  const crawl = await newCrawl([
    page("", [link(`${SITE}moved`), link(`${SITE}a`, { fragment: "none", text: "To" }), link(`${SITE}loop`)]),
    page("a", [link(`${SITE}a2`)], { ids: [hashId("some")], title: null, dropped: 3 }),
    { ...page("a2", [], { canonical: `${SITE}gone` }), row: { via: SITE, duration_ms: 4_000 } },
    { ...page("orphan", []), row: listed },
    { url: `${SITE}moved`, redirect: `${SITE}moved2` },
    { url: `${SITE}moved2`, redirect: `${SITE}a` },
    { url: `${SITE}loop`, row: { status: "errored", reason: "redirect-loop" } },
    { url: `${SITE}soft`, row: { status: "errored", reason: "soft-404", http_status: 200, via: SITE } },
    gone("gone", 410),
  ]);
  const sitemap =
    "INSERT INTO sitemaps (crawl, url, status, host, guessed, depth, seq) VALUES (?1, ?2, 'completed', 'a.test', 0, 0, 1)";
  await env.LEDGER.prepare(sitemap).bind(crawl.id, listed.via).run();
  await analyze(crawl);
  expect((await findingsOf(crawl)).map(tell)).toEqual([
    "broken-link | still | / | /loop |  | content | redirect loop",
    "broken-fragment | still | / | /a#none | To | content",
    "redirect-loop | still | /loop | /loop | /loop | linked from /",
    "redirect-chain | still | /moved | /a | /moved2 > /a | linked from /",
    "orphan-page | still | /orphan",
    "canonical-broken | still | /a2 | /gone | status 410",
    "title-missing | still | /a",
    "soft-404 | still | /soft",
    "slow-page | still | /a2 | 4.0 s",
  ]);
  const { leftOut } = (await call<FindingsView>(crawl.id, "")).result;
  expect(leftOut).toEqual([
    "3 links of very large pages were not kept, and are not checked.",
    "4 pages are not compared, and their words not counted: a crawl with --search or --markdown reads their texts.",
  ]);
});

test("a later report says what is new and what is mended, and one after it only what is left", async () => {
  const crawl = await newCrawl([page("", [link(`${SITE}x`), link(`${SITE}y`)]), gone("x"), gone("y")]);
  await analyze(crawl);
  await keepSite(crawl.id, [page("", [link(`${SITE}y`), link(`${SITE}z`)]), gone("z")]);
  await analyze(crawl);
  const told = async () => (await findingsOf(crawl)).map(({ change, target }) => [change, target?.replace(SITE, "/")]);
  expect(await told()).toEqual([
    ["mended", "/x"],
    ["still", "/y"],
    ["new", "/z"],
  ]);
  const { counts, comparedWith } = (await call<FindingsView>(crawl.id, "")).result;
  expect(counts).toMatchObject([{ kind: "broken-link", severity: "error", found: 2, new: 1, mended: 1 }]);
  expect(comparedWith).not.toBeNull();
  await analyze(crawl);
  expect(await told()).toEqual([
    ["still", "/y"],
    ["still", "/z"],
  ]);
});

test("a report is compared with that of any other crawl, page by page and in each file", async () => {
  const old = await newCrawl([page("", [link(`${SITE}x`), link(`${SITE}y`)]), gone("x"), gone("y")]);
  await analyze(old);
  const crawl = await newCrawl([page("", [link(`${SITE}y`), link(`${SITE}z`)]), gone("y"), gone("z")]);
  expect((await send(crawl.id, `?against=${old.id}`)).status).toBe(404);
  await analyze(crawl);
  const { result } = await call<FindingsView>(crawl.id, `?against=${old.id}`);
  expect(result).toMatchObject({
    comparedCrawl: old.id,
    counts: [{ kind: "broken-link", found: 2, new: 1, still: 1, mended: 1 }],
    findings: [],
  });
  const told: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = `?against=${old.id.slice(0, 12)}&kind=broken-link&limit=2&cursor=${cursor}`;
    const { result: part } = await call<FindingsView>(crawl.id, query);
    told.push(...part.findings.map(({ change, target }) => `${change} ${target?.replace(SITE, "/")}`));
    cursor = part.cursor;
  }
  expect(told).toEqual(["mended /x", "still /y", "new /z"]);
  for (const format of ["html", "md", "csv", "json"]) {
    const file = await (await send(crawl.id, `/file?format=${format}&against=${old.id}`)).text();
    for (const word of ["new", "still", "mended"]) expect(file).toMatch(new RegExp(`${word}\\b`));
  }
  // The other way round, what is new was mended; beside itself, all is there still.
  const back = (await call<FindingsView>(old.id, `?against=${crawl.id}`)).result.counts;
  const self = (await call<FindingsView>(old.id, `?against=${old.id}`)).result.counts;
  expect([back, self]).toMatchObject([[{ new: 1, still: 1, mended: 1 }], [{ new: 0, still: 2, mended: 0 }]]);
  expect((await send(crawl.id, "?against=none")).status).toBe(404);
});

test("steps that repeat and die give the same report", async () => {
  const pages = [
    page("", [link(`${SITE}x`, { fragment: "a" }), link(`${SITE}b`, { fragment: "c" })]),
    page("b", []),
    gone("x"),
  ];
  const text = Array.from({ length: 200 }, (_, i) => `word${i}`);
  pages.push({ ...page("one", []), text: text.join(" ") }, { ...page("two", []), text: text.with(99, "x").join(" ") });
  const [calm, bad] = [await newCrawl(pages), await newCrawl(pages)];
  const first = await analyze(calm);
  const done = new Map<string, unknown>();
  const badly = dieNowAndThen(done);
  const pass = crypto.randomUUID();
  await bad.world.deps.passes.begin(bad.id, pass, bad.world.now, null);
  const run = () => runPass(new PassRun({ crawl: bad.id, id: pass }, badly, () => bad.world.deps));
  for (let kills = 0; kills < 100 && !done.has("complete"); kills++) await run().catch(() => undefined);
  const bytes = async (id: string, of: string) => {
    const object = await env.MIRROR.get(`${id}/packs/passes/report-${of}`);
    return [...new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer())];
  };
  expect(await bytes(bad.id, pass)).toEqual(await bytes(calm.id, first));
});

test("links to URLs that are refused as the same page count for the page that stands for them", async () => {
  const from = (path: string) => Array.from({ length: 12 }, (_, i) => link(`${SITE}${path}${i}?origin=${path}${i}`));
  const listed = { via: `${SITE}sitemap.xml` };
  const crawl = await newCrawl([
    page("", [...from("p"), link(`${SITE}q?origin=x`), link(`${SITE}r?origin=y`), link(`${SITE}s?other=1`)]),
    ...Array.from({ length: 12 }, (_, i) => ({ ...page(`p${i}`, []), row: listed })),
    // Stored with the part, before the rule was learned.
    { ...page("q", []), row: listed },
    { ...page("q?origin=x", []), row: { via: SITE } },
    // The row of a URL that was refused in its lane.
    { ...page("r", []), row: listed },
    {
      url: `${SITE}r?origin=y`,
      row: { status: "skipped", reason: "same-page", detail: `without ?origin it is ${SITE}r`, via: SITE },
    },
    { ...page("s", []), row: listed },
  ]);
  const sitemap =
    "INSERT INTO sitemaps (crawl, url, status, host, guessed, depth, seq) VALUES (?1, ?2, 'completed', 'a.test', 0, 0, 1)";
  await env.LEDGER.prepare(sitemap).bind(crawl.id, listed.via).run();
  const orphans = async () =>
    (await findingsOf(crawl))
      .filter(({ kind, change }) => kind === "orphan-page" && change !== "mended")
      .map((one) => one.page.replace(SITE, "/"));
  await analyze(crawl);
  expect(await orphans()).toHaveLength(14);
  const rule = { scope: "/*", part: "?origin", same: 20, different: 0, samples: 5, counted: [], examples: [] };
  const values = Object.fromEntries(["a", "b", "c", "d", "e"].map((value) => [value, 4]));
  const learned = { rules: { "/* ?origin": { ...rule, values, withdrawnBy: null } }, noise: [], controls: 0 };
  await crawl.world.deps.samePages.learn(crawl.id, "a.test", () => learned);
  await analyze(crawl);
  // No rule is about this one's part.
  expect(await orphans()).toEqual(["/s"]);
  const row = await env.LEDGER.prepare("SELECT in_links FROM urls WHERE crawl = ?1 AND url = ?2");
  expect(await row.bind(crawl.id, `${SITE}p3`).first("in_links")).toBe(1);
});

test("what pages load and do not follow, and files, are asked for once, at the crawl's own hosts", async () => {
  const sound = {
    headings: 1,
    firstHeading: "H",
    unlabelled: 0,
    unlabelledExamples: [],
    canonicals: 1,
    droppedResources: 0,
  };
  const load = (...urls: string[]) => ({
    audit: { ...sound, resources: urls.map((url) => ({ url, kind: "image" as const })) },
  });
  const crawl = await newCrawl([
    page(
      "",
      [link(`${SITE}secret`, { nofollow: true }), link(`${SITE}limit`), link(`${SITE}all.tgz`)],
      load(`${SITE}gone.png`, "https://cdn.test/x"),
    ),
    { ...page("hidden", [link(`${SITE}lost`)], { followsNone: true, ...load(`${SITE}gone.png`) }), row: { via: SITE } },
  ]);
  const asked: string[] = [];
  crawl.world.deps.fetchHead = async ({ url }) => {
    asked.push(url);
    const base = { httpStatus: url.endsWith("secret") ? 200 : 404, durationMs: 1, retryAfterMs: null };
    return base.httpStatus === 200
      ? { kind: "head", ...base }
      : {
          kind: "rejected",
          ...base,
          reason: "http-status",
          detail: "status 404",
          contentType: null,
          retryable: false,
          hostFailed: false,
        };
  };
  await analyze(crawl);
  expect(asked.toSorted()).toEqual([`${SITE}all.tgz`, `${SITE}gone.png`, `${SITE}lost`, `${SITE}secret`]);
  expect((await findingsOf(crawl)).map(tell).filter((line) => line.startsWith("broken"))).toEqual([
    "broken-link | still | / | /all.tgz |  | content | status 404",
    "broken-link | still | /hidden | /lost |  | content | status 404",
    "broken-resource | still | / | /gone.png | image | status 404",
    "broken-resource | still | /hidden | /gone.png | image | status 404",
  ]);
  await analyze(crawl);
  expect(asked).toHaveLength(4);
});

test("a pass that completes leaves what the next one has written, and removes the rest", async () => {
  const crawl = await newCrawl([page("", [])]);
  const { passes, passObjects } = crawl.world.deps;
  const next = { crawl: crawl.id, id: crypto.randomUUID() };
  const done = await analyzeCrawl(crawl.id, crawl.world, {
    doStep: async (name, work) => {
      if (name !== "complete") return work();
      const list = passes.list.bind(passes);
      // The next pass begins between the end of this one and its removal of objects.
      passes.list = async (id) => {
        passes.list = list;
        await passes.begin(crawl.id, next.id, crawl.world.now, null, { kind: "topics" });
        await passObjects.put(next, "rows-0", new Uint8Array(3));
        return list(id);
      };
      return work();
    },
  });
  expect(await passObjects.find(next, "rows-0")).toHaveLength(3);
  expect(await passObjects.names({ crawl: crawl.id, id: done }, "")).toEqual([]);
  await passes.fail(next, "enough", crawl.world.now);
  // The analysis is found, whatever passes came after it.
  expect((await call<FindingsView>(crawl.id, "")).result.isOutdated).toBe(false);
});

test("a report says that it is of before when the crawl has gone on", async () => {
  const crawl = await newCrawl([page("", [])]);
  await analyze(crawl);
  await env.LEDGER.prepare("UPDATE crawls SET finished_at = ?2 WHERE id = ?1")
    .bind(crawl.id, crawl.world.now + 9)
    .run();
  expect((await call<FindingsView>(crawl.id, "")).result).toMatchObject({
    isOutdated: true,
    leftOut: [expect.stringContaining("is of before"), expect.anything()],
  });
  for (const format of ["html", "md", "csv", "json"])
    expect(await (await send(crawl.id, `/file?format=${format}`)).text()).toContain("is of before");
});

test("the API lists findings by pages, and refuses what is no cursor", async () => {
  const links = Array.from({ length: 5 }, (_, i) => link(`${SITE}x`, { text: `Näme ${i}` }));
  const crawl = await newCrawl([page("", links), gone("x")]);
  expect((await send(crawl.id, "?kind=broken-link")).status).toBe(404);
  await analyze(crawl);
  const texts: (string | undefined)[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = `?kind=broken-link&limit=2&cursor=${cursor}`;
    const { result } = await call<FindingsView>(crawl.id, query);
    texts.push(...result.findings.map(({ text }) => text));
    cursor = result.cursor;
  }
  expect(texts).toEqual(["Näme 0", "Näme 1", "Näme 2", "Näme 3", "Näme 4"]);
  const refused = await Promise.all(
    ["?kind=broken-link&cursor=7", "?kind=broken-link&cursor=99999", "?kind=none"].map((query) =>
      send(crawl.id, query),
    ),
  );
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
});

test.each([
  ["html", "text/html; charset=utf-8", "&lt;script&gt;"],
  ["md", "text/markdown; charset=utf-8", "Broken links"],
  ["csv", "text/csv; charset=utf-8", "'=1+1<script>"],
  ["json", "application/json", '"=1+1<script>"'],
])("the file in %s has all findings, and hostile words do no harm", async (format, type, words) => {
  const crawl = await newCrawl([page("", [link(`${SITE}x`, { text: "=1+1<script>" })]), gone("x")]);
  await analyze(crawl);
  const file = await send(crawl.id, `/file?format=${format}`);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, type]);
  expect(file.headers.get("content-disposition")).toBe(`attachment; filename="report-${crawl.id}.${format}"`);
  expect(await file.text()).toContain(words);
  expect(await (await send(crawl.id, `/file?format=${format}&kind=soft-404`)).text()).not.toContain(words);
});

async function send(id: string, path: string): Promise<Response> {
  const init = { headers: { authorization: "Bearer test-token" } };
  return app.request(`/api/crawls/${id}/findings${path}`, init, env, createExecutionContext());
}

async function call<T>(id: string, path: string): Promise<{ result: T }> {
  return (await send(id, path)).json();
}

test("findings on the list of the site are left out of numbers, lists and files, of its next crawl too", async () => {
  const pages = () => [
    page("", [link(`${SITE}gone1`), link(`${SITE}gone2`), link(`${SITE}p1`)]),
    page("p1", [link(`${SITE}gone1`)]),
    gone("gone1"),
    gone("gone2"),
  ];
  const first = await newCrawl(pages());
  await analyze(first);
  const call = async (id: string, path: string, body?: object) => {
    const headers = { authorization: "Bearer test-token", "content-type": "application/json" };
    const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    const response = await app.request(`/api/crawls/${id}${path}`, init, env, createExecutionContext());
    return { status: response.status, text: await response.text() };
  };
  const brokenOf = async (id: string, query = "") => {
    const { text } = await call(id, `/findings?kind=broken-link${query}`);
    const { counts, findings, leftOut } = (JSON.parse(text) as { result: FindingsView }).result;
    const count = counts.find(({ kind }) => kind === "broken-link");
    return { found: count?.found ?? 0, targets: findings.map(({ target = "" }) => target.replace(SITE, "")), leftOut };
  };
  expect(await brokenOf(first.id)).toMatchObject({ found: 3, targets: ["gone1", "gone1", "gone2"] });
  const refused = await call(first.id, "/ignored", { list: "broken-link" });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("Line 1")]);
  const list = "broken-link /gone1 until 2999-01-01 # moves soon\n";
  expect((await call(first.id, "/ignored", { list })).status).toBe(200);
  const sentence = "2 of the findings are on the list to ignore.";
  expect(await brokenOf(first.id)).toEqual({
    found: 1,
    targets: ["gone2"],
    leftOut: expect.arrayContaining([sentence]),
  });
  expect(await brokenOf(first.id, "&ignore=false")).toMatchObject({ found: 3 });
  const second = await newCrawl(pages());
  await analyze(second);
  expect(await brokenOf(second.id)).toMatchObject({ found: 1, targets: ["gone2"] });
  expect(await brokenOf(second.id, `&against=${first.id}`)).toMatchObject({ found: 1, targets: ["gone2"] });
  const csv = (await call(second.id, "/findings/file?format=csv")).text;
  expect([csv.includes(`${SITE}gone2`), csv.includes(`${SITE}gone1`)]).toEqual([true, false]);
  // Pages of the list follow one another.
  const { text } = await call(first.id, "/findings?kind=broken-link&ignore=true&limit=1&cursor=1");
  expect((JSON.parse(text) as { result: FindingsView }).result.findings).toEqual([]);
  await call(first.id, "/ignored", { list: "" });
  expect(await brokenOf(second.id)).toMatchObject({ found: 3 });
});

import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { site as consoleSite } from "../../src/console/site.tsx";
import { readInlinks } from "../../src/reading/analysis/read-inlinks.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { type KeptPage, keepSite } from "./kept-site.ts";
import { World } from "./world.ts";

/** Who links to a URL, read from the result of a pass and the kept links. */

const SITE = "https://a.test/";
const [B, C, OLD] = [`${SITE}b`, `${SITE}c`, `${SITE}old`];
const PAGES: KeptPage[] = [
  { url: SITE, links: [B, C, "https://other.test/"], staleLinks: [OLD] },
  { url: B, links: [C, C] },
  { url: C, links: [OLD] },
  { url: OLD, redirect: SITE },
];

async function newSite(pages: KeptPage[]): Promise<{ world: World; id: string }> {
  const world = new World(() => ({ links: [] }));
  const id = await world.start([SITE]);
  await world.runToEnd(id);
  await keepSite(id, pages);
  return { world, id };
}

async function ask(id: string, query: Record<string, string>) {
  const path = `/api/crawls/${id}/inlinks?${new URLSearchParams(query)}`;
  const headers = { authorization: "Bearer test-token" };
  const response = await app.request(path, { headers }, env, createExecutionContext());
  const { result, errors } = await response.json<{ result: unknown; errors?: { message: string }[] }>();
  return { status: response.status, result, message: errors?.[0]?.message ?? "" };
}

const link = (url: string) => ({
  text: `to ${url}`,
  kind: "a",
  place: "content",
  nofollow: false,
  rel: "",
  fragment: null,
});

test("the answer has every page that links to a URL and every redirect, with the words, and no other", async () => {
  const { world, id } = await newSite(PAGES);
  expect(await ask(id, { url: C })).toMatchObject({
    status: 409,
    message: expect.stringContaining(`orbweaver analyze ${id}`),
  });
  // An analysis begins a second later.
  const analyzedAt = new Date(world.now + 1_000).toISOString();
  await analyzeCrawl(id, world);
  const { result } = await ask(id, { url: `${C}#top` });
  expect(result).toEqual({
    url: C,
    analyzedAt,
    total: 2,
    sources: [
      { url: SITE, title: null, redirects: false, links: [link(C)] },
      { url: B, title: null, redirects: false, links: [link(C), link(C)] },
    ],
    cursor: null,
  });
  expect((await ask(id, { url: SITE })).result).toMatchObject({
    total: 1,
    sources: [{ url: OLD, redirects: true, links: [] }],
  });
  // Links of an earlier delivery of a batch do not count.
  expect((await ask(id, { url: OLD })).result).toMatchObject({ total: 1, sources: [{ url: C }] });
  expect(await ask(id, { url: "https://other.test/" })).toMatchObject({
    status: 404,
    message: expect.stringContaining("https://other.test/"),
  });
});

test("pages of answers have each source once, and each pack is read once", async () => {
  const sources = Array.from({ length: 5 }, (_, i) => `${SITE}p${i}`);
  const { world, id } = await newSite([{ url: SITE }, ...sources.map((url) => ({ url, links: [B] })), { url: B }]);
  await analyzeCrawl(id, world);
  const found: string[] = [];
  const reads: string[] = [];
  const { packs } = world.deps;
  const read = packs.read.bind(packs);
  packs.read = (crawl, name, ...place) => {
    reads.push(name);
    return read(crawl, name, ...place);
  };
  for (let cursor = ""; ; ) {
    reads.length = 0;
    const answer = await readInlinks({ id }, B, { cursor, limit: 2 }, world.deps);
    if (answer.kind !== "found") throw new Error(answer.kind);
    expect([answer.total, new Set(reads).size]).toEqual([5, reads.length]);
    found.push(...answer.sources.map(({ url }) => url));
    if (answer.cursor === null) break;
    cursor = answer.cursor;
  }
  expect(found).toEqual(sources);
  const { result } = await ask(id, { url: B, limit: "2" });
  await analyzeCrawl(id, world);
  const { cursor } = result as { cursor: string };
  expect(await ask(id, { url: B, cursor })).toMatchObject({
    status: 400,
    message: expect.stringContaining("was analyzed again"),
  });
});

test("a page whose links are no longer stored is named without them, and a URL without in-links has none", async () => {
  const { world, id } = await newSite([{ url: SITE, links: [B] }, { url: B }]);
  await analyzeCrawl(id, world);
  await world.deps.packs.remove(id, ["pack-0"]);
  expect((await ask(id, { url: B })).result).toMatchObject({
    total: 1,
    sources: [{ url: SITE, redirects: false, links: [] }],
  });
  expect((await ask(id, { url: SITE })).result).toMatchObject({ total: 0, sources: [], cursor: null });
});

test("the console shows who links to a record, or the command that finds out", async () => {
  const form = new URLSearchParams({ token: "test-token", to: "/crawls" });
  const request = (path: string, init: RequestInit = {}, cookie = "") => {
    const headers = { "sec-fetch-site": "same-origin", cookie };
    return consoleSite.request(
      `http://localhost${path}`,
      { headers, redirect: "manual", ...init },
      env,
      createExecutionContext(),
    );
  };
  const signedIn = await request("/sign-in", { method: "POST", body: form });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const { world, id } = await newSite(PAGES);
  const pageOf = async (url: string) =>
    (await request(`/crawls/${id}/record?${new URLSearchParams({ url, tab: "inlinks" })}`, {}, cookie)).text();
  expect(await pageOf(C)).toContain(`orbweaver analyze ${id}`);
  await analyzeCrawl(id, world);
  expect(await pageOf(C)).toContain(`to ${C}`);
  // A record without a stored page, too.
  expect(await pageOf(OLD)).toContain("/c");
  expect(await pageOf(SITE)).toContain("redirects here");
});

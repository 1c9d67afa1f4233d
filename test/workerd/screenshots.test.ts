import { createExecutionContext, env } from "cloudflare:test";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { site } from "../../src/console/site.tsx";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { captureContent } from "../../src/fetch/answer/capture-page.ts";
import { captureView } from "../../src/fetch/browser/capture-view.ts";
import { exportWacz } from "../../src/reading/exports/export-archive.ts";
import { exportRecords } from "./read-warc.ts";
import { World } from "./world.ts";

/** Pictures of rendered pages: in the mirror, by the API, in the console and in exports. */

const SEED = "https://a.test/";
const PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 1, 2, 3]);
const LESSON = { plainText: 0, hasGained: true };

/** A crawl of three pages: one was drawn, one was not, and of one there is no picture. */
async function crawlPictures(store: "warc" | "files"): Promise<{ world: World; crawl: string }> {
  const world = new World((url) =>
    url === `${SEED}plain`
      ? { links: [] }
      : { links: [`${SEED}plain`, `${SEED}failed`], drawn: { why: "it is empty", ...LESSON } },
  );
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    const page = await fetchPage(request, secrets);
    if (page.kind !== "page" || page.rendering === undefined) return page;
    const view = captureView(request.url, { picture: PICTURE, text: "What it shows" }, 2_000, crawl);
    if (request.url === `${SEED}failed`) {
      const rendering = { ...page.rendering, noPicture: "the browser did not answer in time" };
      const content = new TextEncoder().encode(JSON.stringify({ drawn: { html: "", rendering } }));
      return captureContent(request.url, { ...page, content, rendering }, 2_000);
    }
    return { ...page, capture: { answer: null, content: null, links: null, ...page.capture, resources: [view] } };
  };
  const options = { store, source: "links", render: "auto", screenshot: true } as const;
  const crawl = await world.start([SEED], options);
  await world.runToEnd(crawl);
  return { world, crawl };
}

async function ask(path: string): Promise<Response> {
  const headers = { authorization: "Bearer test-token" };
  return app.request(path, { headers }, env, createExecutionContext());
}

test.each(["warc", "files"] as const)("with store %s, the API has the picture of a drawn page", async (store) => {
  const { crawl } = await crawlPictures(store);
  const at = (url: string) => `/api/crawls/${crawl}/screenshot?${new URLSearchParams({ url })}`;
  const answer = await ask(at(SEED));
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/jpeg",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringContaining("sandbox;"),
    "cross-origin-resource-policy": "same-origin",
  });
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(PICTURE);
  for (const [path, why] of [
    ["plain", "no browser drew the page."],
    ["failed", "the browser did not answer in time."],
  ]) {
    const none = await ask(at(SEED + path));
    expect(none.status).toBe(404);
    expect(await none.text()).toContain(`This crawl has no picture of ${SEED}${path}: ${why}`);
  }
  expect((await app.request(at(SEED), {}, env, createExecutionContext())).status).toBe(401);
});

test("an archive has the picture and the text as Browsertrix names them, and the index leads to the picture", async () => {
  const { world, crawl } = await crawlPictures("warc");
  const records = await exportRecords(crawl, world.deps);
  const text = (name: string) => {
    const record = records.find(({ url }) => url === name);
    return [record?.type, record?.fields.get("content-type"), record?.block.byteLength];
  };
  expect(text(`urn:view:${SEED}`)).toEqual(["resource", "image/jpeg", 6]);
  expect(text(`urn:text:${SEED}`)).toEqual(["resource", "text/plain; charset=utf-8", 13]);
  const state = (await world.deps.ledger.crawl(crawl)) as Crawl;
  const { open } = await exportWacz(state, world.deps.archiveIndex, world.deps);
  const files = unzipSync(new Uint8Array(await new Response(open(0)).arrayBuffer()));
  const index = new TextDecoder().decode(gunzipSync(files["indexes/index.cdx.gz"] as Uint8Array));
  expect(index).toContain(`urn:view:${SEED} 19700101000002 {"url":"urn:view:${SEED}","mime":"image/jpeg"`);
});

test("the console shows the picture of a drawn page, and what was drawn in place of its answer", async () => {
  const { crawl } = await crawlPictures("warc");
  const signIn = { method: "POST", body: new URLSearchParams({ token: "test-token", to: "/crawls" }) };
  const sameOrigin = { "sec-fetch-site": "same-origin" };
  const send = (path: string, init: RequestInit) =>
    site.request(`http://localhost${path}`, { redirect: "manual", ...init }, env, createExecutionContext());
  const answer = await send("/sign-in", { ...signIn, headers: sameOrigin });
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const page = async (url: string, tab: string) => {
    const path = `/crawls/${crawl}/record?${new URLSearchParams({ url, tab })}`;
    return (await send(path, { headers: { ...sameOrigin, cookie } })).text();
  };
  const name = encodeURIComponent(SEED);
  expect(await page(SEED, "screenshot")).toContain(`src="/api/crawls/${crawl}/screenshot?url=${name}"`);
  expect(await page(SEED, "page")).toContain(`src="/api/crawls/${crawl}/page?url=${name}&amp;format=drawn"`);
  const plain = await page(`${SEED}plain`, "page");
  expect(plain).not.toContain("format=drawn");
  expect(plain).not.toContain("tab=screenshot");
});

import { createExecutionContext, env } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import { site } from "../../src/console/site.tsx";
import { decodeCss } from "../../src/media/css/css-charset.ts";
import { rewriteHtml } from "../../src/reading/replay/rewrite-html.ts";
import { type Web, World } from "./world.ts";

/** The replay inside workerd: rewritten links, access, and the answers for pages that are not stored. */

const PAGE = "https://a.test/dir/page";
const PREFIX = "/replay/1/k/";

describe("a page's links", () => {
  test.each<[string, string]>([
    ['<a href="b?x=1&amp;y=2#z">', `<a href="${PREFIX}https://a.test/dir/b?x=1&amp;y=2#z">`],
    ["<a href=#z>", "<a href=#z>"],
    ['<a href="/b" target="_blank" ping="/p">', `<a href="${PREFIX}https://a.test/b">`],
    ['<a href="mailto:a@b.test">', '<a href="mailto:a@b.test">'],
    ['<area href="https://b.test/">', `<area href="${PREFIX}https://b.test/">`],
    [
      "<IMG SRC='i.png' srcset='j.png 2x'>",
      `<IMG SRC="${PREFIX}https://a.test/dir/i.png" srcset="${PREFIX}https://a.test/dir/j.png 2x">`,
    ],
    [
      '<link rel=stylesheet href=s.css integrity="sha384-x" crossorigin>',
      `<link rel=stylesheet href="${PREFIX}https://a.test/dir/s.css">`,
    ],
    ["<link rel='preconnect' href=//b.test>x", "x"],
    ["<script src=s.js></script>", `<script src="${PREFIX}https://a.test/dir/s.js"></script>`],
    ["<script>'<a href=/b>'</script>", "<script>'<a href=/b>'</script>"],
    ["<iframe src=/f></iframe>", `<iframe src="${PREFIX}https://a.test/f"></iframe>`],
    [
      "<iframe srcdoc=\"<a href='b?x&amp;amp;y'>&amp;lt;</a><img src=i.png>\"></iframe>",
      `<iframe srcdoc="<a href=&quot;${PREFIX}https://a.test/dir/b?x&amp;amp;y&quot;>&amp;lt;</a><img src=&quot;${PREFIX}https://a.test/dir/i.png&quot;>"></iframe>`.replaceAll(
        /<(?!iframe|\/iframe)/g,
        "&lt;",
      ),
    ],
    [
      "<iframe srcdoc='<base href=/base/><img src=i.png>'></iframe>",
      `<iframe srcdoc="&lt;img src=&quot;${PREFIX}https://a.test/base/i.png&quot;>"></iframe>`,
    ],
    [
      "<form action=/s><button formaction=/t>",
      `<form action="${PREFIX}https://a.test/s"><button formaction="${PREFIX}https://a.test/t">`,
    ],
    ["<form method=POST action=/s>", `<form method="dialog" action="${PREFIX}https://a.test/s">`],
    [
      "<video poster=p.png><source src=v.mp4></video>",
      `<video poster="${PREFIX}https://a.test/dir/p.png"><source src="${PREFIX}https://a.test/dir/v.mp4"></video>`,
    ],
    ["<svg><image xlink:href=i.png /></svg>", `<svg><image xlink:href="${PREFIX}https://a.test/dir/i.png" /></svg>`],
    ["<body background=b.png>", `<body background="${PREFIX}https://a.test/dir/b.png">`],
    [
      "<p style=\"background: url('b.png')\">",
      `<p style="background: url(&quot;${PREFIX}https://a.test/dir/b.png&quot;)">`,
    ],
    [
      "<style>@import 'a.css'; b > c { d: url(e.png) }</style>",
      `<style>@import "${PREFIX}https://a.test/dir/a.css"; b > c { d: url("${PREFIX}https://a.test/dir/e.png") }</style>`,
    ],
    ["<noscript><img src=n.png></noscript>", `<noscript><img src="${PREFIX}https://a.test/dir/n.png"></noscript>`],
    ["<template><img src=t.png></template>", `<template><img src="${PREFIX}https://a.test/dir/t.png"></template>`],
    ["<meta http-equiv=Content-Security-Policy content=\"img-src 'none'\">x", "x"],
    ["<a href=x><base href=/base/ target=_top><base href=/no/>", `<a href="${PREFIX}https://a.test/base/x">`],
    ["<a href=#z><base href=/base/>", `<a href="${PREFIX}https://a.test/base/#z">`],
    ["<!-- <a href=x> --><title><a href=x></title>", "<!-- <a href=x> --><title><a href=x></title>"],
    ["Straße 你好 😀", "Straße 你好 😀"],
  ])("%j", async (html, rewritten) => {
    expect(await rewriteHtml(html, PAGE, PREFIX)).toBe(rewritten);
  });

  test("have their queries in the page's encoding, as the crawl followed them", async () => {
    const html = await rewriteHtml('<a href="/?q=Мир">', PAGE, PREFIX, "windows-1251");
    expect(html).toBe(`<a href="${PREFIX}https://a.test/?q=%CC%E8%F0">`);
  });

  test("a refresh becomes a link, because a sandbox does not follow it", async () => {
    const html = await rewriteHtml('<meta http-equiv="refresh" content="0;url=/n?a&amp;b">text', PAGE, PREFIX);
    expect(html).toContain(`content="0; url=${PREFIX}https://a.test/n?a&amp;b"`);
    expect(html).toContain(`href="${PREFIX}https://a.test/n?a&amp;b"`);
    expect(await rewriteHtml('<meta http-equiv=refresh content="30">', PAGE, PREFIX)).not.toContain("<a");
  });

  test.each([
    ['@charset "gbk"; a', "text/css", "a"],
    ['@charset "gbk"; a', "text/css; charset=utf-8", "a"],
  ])("a style sheet's @charset counts only without a charset in its Content-Type: %j as %s", (css, type) => {
    const bytes = new Uint8Array([...new TextEncoder().encode(css), 0xc4, 0xe3]);
    expect(decodeCss(bytes, type).endsWith("你")).toBe(type === "text/css");
  });
});

/** The content of each page is its URL. */
const WEB: Web = (url) => {
  const { pathname } = new URL(url);
  const links = ["/a", "/old", "/gone", "/round"].map((path) => new URL(path, url).href);
  if (pathname === "/") return { links };
  if (pathname === "/old") return { redirect: "https://a.test/older" };
  if (pathname === "/older") return { redirect: "https://a.test/a" };
  if (pathname === "/round") return { redirect: "https://a.test/round/again" };
  if (pathname === "/round/again") return { redirect: "https://a.test/round" };
  return pathname === "/gone" ? { status: 410 } : { links: [] };
};

async function ask(path: string, headers: Record<string, string> = {}, changes: Partial<Env> = {}) {
  return app.request(path, { headers, redirect: "manual" }, { ...env, ...changes }, createExecutionContext());
}

const READER = { authorization: "Bearer reading-token" };

describe.each(["files", "warc"] as const)("stored as %s", (store) => {
  let id = "";
  let key = "";

  beforeAll(async () => {
    const world = new World(WEB);
    id = await world.start(["https://a.test/"], { store });
    await world.runToEnd(id);
    const redirect = await ask(`/replay/${id}/https://a.test/`, READER);
    key = /^\/replay\/[^/]+\/([^/]+)\//.exec(redirect.headers.get("location") ?? "")?.[1] ?? "";
  });

  const open = (url: string) => ask(`/replay/${id}/${key}/${url}`);

  test("a read-only token is redirected to a key, and the key shows the page", async () => {
    const redirect = await ask(`/replay/${id}/https://a.test/a?utm_source=x&b`, READER);
    expect([redirect.status, redirect.headers.get("location")]).toEqual([
      302,
      `/replay/${id}/${key}/https://a.test/a?utm_source=x&b`,
    ]);
    const answer = await open("https://a.test/a?utm_source=x");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe("https://a.test/a");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^sandbox allow-forms allow-top-navigation-by-user-activation; default-src 'none';/);
    expect(policy).not.toMatch(/script|same-origin|'self'/);
    expect(policy).toContain(`img-src http://localhost/replay/${id}/${key}/ data:`);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("a URL with a merged double slash still works", async () => {
    expect((await open("https:/a.test/a")).status).toBe(200);
  });

  test.each([
    ["https://a.test/old", "https://a.test/a"],
    ["https://a.test/older?utm_source=x", "https://a.test/a"],
  ])("%s redirects to the stored page at the end of its redirects", async (url, target) => {
    const answer = await open(url);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `/replay/${id}/${key}/${target}`]);
  });

  test.each([
    ["https://a.test/gone", ["https://a.test/gone", "errored: the server answered with an error: 410", "/record?url="]],
    ["https://b.test/?q=<b>&x", ["https://b.test/?q=%3Cb%3E&amp;x", "no record of it", "/explain?url="]],
    ["https://a.test/round", ["skipped: it redirects"]],
    ["favicon.ico", ["not an http or https URL"]],
    ["javascript:alert(1)", ["not an http or https URL"]],
  ])("%s is not stored, and the answer says why", async (url, words) => {
    const answer = await open(url);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/);
    const text = await answer.text();
    for (const word of words) expect(text).toContain(word);
    expect(text.includes("live web")).toBe(url.startsWith("https:"));
  });

  test("a key opens only its own crawl, until it expires or its token is removed", async () => {
    const world = new World(WEB);
    const other = await world.start(["https://a.test/"]);
    const redirectOf = async (path: string, changes: Partial<Env> = {}) => {
      const answer = await ask(path, {}, changes);
      return [answer.status, answer.headers.get("location")];
    };
    const url = "https://a.test/a?q";
    expect(await redirectOf(`/replay/${other}/${key}/${url}`)).toEqual([302, `/replay/${other}/${url}`]);
    const [expiry = "", signature = ""] = key.split(".");
    for (const forged of [`${Number(expiry) + 3600}.${signature}`, `${expiry}.${"0".repeat(64)}`, `${expiry}.ab`])
      expect(await redirectOf(`/replay/${id}/${forged}/${url}`)).toEqual([302, `/replay/${id}/${url}`]);
    const path = `/replay/${id}/${key}/${url}`;
    expect((await redirectOf(path, { READ_TOKEN: "another" }))[0]).toBe(302);
    vi.spyOn(Date, "now").mockReturnValue(Number(expiry) * 1000);
    expect((await redirectOf(path))[0]).toBe(302);
    vi.restoreAllMocks();
  });

  test("a browser without a session is redirected to the sign-in page", async () => {
    const answer = await site.request(`/replay/${id}/https://a.test/`, {}, env, createExecutionContext());
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/sign-in?to=${encodeURIComponent(`/replay/${id}/https://a.test/`)}`,
    ]);
    expect((await ask(`/replay/${id}/https://a.test/`)).status).toBe(401);
    const keyed = await site.request(`/replay/${id}/${key}/https://a.test/`, {}, env, createExecutionContext());
    expect(keyed.status).toBe(200);
  });
});

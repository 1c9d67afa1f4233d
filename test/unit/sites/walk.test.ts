import { afterEach, describe, expect, it } from "vitest";
import { type Site, type SiteHandler, startSite } from "../../sites/site.ts";
import { linksOf, walk } from "../../sites/walk.ts";

const HTML = "text/html; charset=utf-8";

/** Five pages, each found in another way, and answers that must not be counted. */
const ANSWERS: Record<string, { status?: number; type?: string; location?: string; body?: string }> = {
  "/": {
    body: `<a href="a.html#part">A</a> <A HREF="/a.html">A again</A> <a href="#top">here</a> <a href="/moved">moved</a>
      <a href="/gone">gone</a> <a href="/empty">empty</a> <a href="/notes.txt">notes</a> <a href="/photo.JPG">photo</a>
      <a href="http://127.0.0.2:1/">elsewhere</a> <a href="mailto:a@b.invalid">mail</a> <a href="http://[">broken</a>
      <!-- <a href="/commented.html">no</a> --> <script>'<a href="/scripted.html">no</a>'</script>`,
  },
  "/a.html": { body: `<link rel="NEXT" href="/dir/b.xhtml"><link rel="stylesheet" href="/style">` },
  "/dir/b.xhtml": {
    type: "application/xhtml+xml",
    body: `<html><head><base href="/other/"/></head><body><iframe src="c?x=1&amp;y=2"></iframe></body></html>`,
  },
  "/other/c?x=1&y=2": { body: `<meta http-equiv="Refresh" content="0; URL='/end'">` },
  "/end": { body: `<area href="/">` },
  "/moved": { status: 302, location: "/end#anchor" },
  "/gone": { status: 410, body: `<a href="/behind-an-error.html">no</a>` },
  "/empty": { body: "" },
  "/notes.txt": { type: "text/plain", body: "notes" },
};

const serve: SiteHandler = (request, response) => {
  const answer = ANSWERS[request.url ?? ""];
  const { status = 200, type = HTML, location, body = "" } = answer ?? { status: 404, body: "not found" };
  if (location !== undefined) response.setHeader("location", location);
  response.writeHead(status, { "content-type": type }).end(body);
};

let site: Site | undefined;
afterEach(() => site?.close());

describe("walk", () => {
  it("finds exactly the reachable pages and requests each once", async () => {
    site = await startSite(serve);
    const pages = await walk(`${site.origin}/#fragment`);
    const { origin } = site;
    const expected = ["/", "/a.html", "/dir/b.xhtml", "/other/c?x=1&y=2", "/end"];
    expect(pages).toEqual(new Set(expected.map((path) => origin + path)));
    expect(site.counts()).toEqual(
      new Map([...expected, "/moved", "/gone", "/empty", "/notes.txt"].map((path) => [path, 1])),
    );
  });

  it("does not fetch what decide refuses", async () => {
    site = await startSite(serve);
    const pages = await walk(`${site.origin}/`, { decide: (url) => !url.endsWith("/dir/b.xhtml") });
    expect(pages.size).toBe(3);
    expect(site.counts().has("/dir/b.xhtml")).toBe(false);
  });

  it("throws when the site does not answer", async () => {
    site = await startSite((_request, response) => {
      response.destroy();
    });
    await expect(walk(`${site.origin}/`)).rejects.toThrow();
  });

  it("applies the first base, also to links before it", () => {
    const html = `<a href="x">x</a><base target="_top"><base href="/one/"><base href="/two/">`;
    expect(linksOf(html, "http://h.invalid/p")).toEqual(["http://h.invalid/one/x"]);
  });
});

describe("startSite", () => {
  it("logs each request and the peak of requests in flight", async () => {
    const held: (() => void)[] = [];
    site = await startSite((_request, response) => {
      held.push(() => response.writeHead(201).end("ok"));
      if (held.length === 3) for (const release of held) release();
    });
    const { origin, log } = site;
    await Promise.all(
      ["/1", "/2", "/1"].map(async (path) => {
        const response = await fetch(origin + path, { method: "POST", headers: { "user-agent": "test" } });
        return response.text();
      }),
    );
    expect(site.connectionsPeak()).toBe(3);
    expect(site.counts()).toEqual(
      new Map([
        ["/1", 2],
        ["/2", 1],
      ]),
    );
    for (const { method, status, userAgent, startedAt, finishedAt, remotePort } of log) {
      expect({ method, status, userAgent }).toEqual({ method: "POST", status: 201, userAgent: "test" });
      expect(finishedAt).toBeGreaterThanOrEqual(startedAt);
      expect(remotePort).toBeGreaterThan(0);
    }
    expect(new Set(log.map(({ remotePort }) => remotePort)).size).toBe(3);
  });

  it("logs a client that disconnects, and answers 500 if a handler throws", async () => {
    const arrived = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    site = await startSite(
      (request) => {
        if (request.url === "/throws") throw new Error("a mistake in the handler");
        arrived.resolve();
      },
      { onFinished: ({ path }) => path === "/held" && ended.resolve() },
    );
    const abort = new AbortController();
    const held = fetch(`${site.origin}/held`, { signal: abort.signal });
    await arrived.promise;
    abort.abort();
    await expect(held).rejects.toThrow();
    await ended.promise;
    expect(site.log[0]).toMatchObject({ path: "/held", status: undefined, finishedAt: expect.any(Number) });

    const response = await fetch(`${site.origin}/throws`);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("a mistake in the handler");
    await site.close();
  });
});

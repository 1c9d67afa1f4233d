import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { generatedPage, pagePath, startGeneratedSite } from "../../sites/generated-site.ts";
import type { Site } from "../../sites/site.ts";
import { startStaticSite } from "../../sites/static-site.ts";
import { linksOf, walk } from "../../sites/walk.ts";

let site: Site | undefined;
afterEach(() => site?.close());

describe("the generated site", () => {
  it("has distinct, reproducible pages with the requested size and number of links", () => {
    const size = { pages: 3000, links: 100, bytes: 17_000 };
    const seen = new Set<string>();
    for (const i of [0, 1, 29, 150, 2999]) {
      const html = generatedPage(i, size);
      expect(generatedPage(i, size)).toBe(html);
      expect(Math.abs(html.length - size.bytes)).toBeLessThan(100);
      const links = new Set(linksOf(html, `http://h.invalid${pagePath(i)}`));
      expect(links.size).toBe(100);
      expect(links).not.toContain(`http://h.invalid${pagePath(i)}`);
      seen.add(html);
    }
    expect(seen.size).toBe(5);
  });

  it("measures the concurrency of its visitor when it has a delay", async () => {
    site = await startGeneratedSite({ pages: 60, links: 30, bytes: 2000, delayMs: 5 });
    await walk(`${site.origin}/`);
    expect(site.connectionsPeak()).toBe(8);
  });

  it.each([
    { pages: 1, links: 100 },
    { pages: 2, links: 100 },
    { pages: 30, links: 1 },
    { pages: 300, links: 7 },
  ])("is completely reachable: $pages pages of $links links", async ({ pages, links }) => {
    site = await startGeneratedSite({ pages, links, bytes: 2000 });
    const { origin } = site;
    expect(await walk(`${origin}/`)).toEqual(new Set(Array.from({ length: pages }, (_, i) => origin + pagePath(i))));
    expect(await (await fetch(`${origin}/robots.txt`)).text()).toBe("User-agent: *\nAllow: /\n");
    expect((await fetch(`${origin}/articles/${pages}.html`)).status).toBe(404);
  });
});

describe("the static site", () => {
  it("serves files, directories and errors as a web server does", async () => {
    const parent = await mkdtemp(join(tmpdir(), "orbweaver-static-"));
    const root = join(parent, "root");
    await mkdir(join(root, "dir"), { recursive: true });
    await mkdir(join(root, "bare"));
    await writeFile(join(parent, "secret.html"), "secret");
    await writeFile(join(root, "a page.html"), "<p>a");
    await writeFile(join(root, "dir", "index.html"), "<p>dir");
    await writeFile(join(root, "data.unknown"), "data");
    try {
      site = await startStaticSite(root, { robots: "User-agent: *\nDisallow: /x\n" });
      const { origin } = site;
      const get = async (path: string) => {
        const response = await fetch(origin + path, { redirect: "manual" });
        return [response.status, response.headers.get("content-type"), await response.text()];
      };
      const notFound = [404, "text/plain; charset=utf-8", "not found\n"];
      expect(await get("/a%20page.html?q=1")).toEqual([200, "text/html", "<p>a"]);
      expect(await get("/dir/")).toEqual([200, "text/html", "<p>dir"]);
      expect(await get("/data.unknown")).toEqual([200, "application/octet-stream", "data"]);
      expect(await get("/robots.txt")).toEqual([200, "text/plain; charset=utf-8", "User-agent: *\nDisallow: /x\n"]);
      for (const path of ["/", "/bare/", "/none", "/a%20page.html/", "/..%2fsecret.html", "/%2e%2e/secret.html"]) {
        expect(await get(path), path).toEqual(notFound);
      }
      expect(await get("/%ff")).toEqual([400, "text/plain; charset=utf-8", "bad escape in the path\n"]);
      const redirect = await fetch(`${origin}/dir?q=1`, { redirect: "manual" });
      expect([redirect.status, redirect.headers.get("location")]).toEqual([301, "/dir/?q=1"]);
      const head = await fetch(`${origin}/dir/`, { method: "HEAD" });
      expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "6", ""]);
      expect((await fetch(`${origin}/dir/`, { method: "POST" })).status).toBe(405);
    } finally {
      await rm(parent, { recursive: true });
    }
  });
});

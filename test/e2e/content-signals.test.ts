import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

allowPrivateHosts();

/** Content-Signal in robots.txt: which pages a crawl may fetch for which purpose. */

const dir = scratch();
let open: Site;
let reserved: Site;
let served: Served;

beforeAll(async () => {
  served = await serve(`${dir.path}/served`);
  const siteOf = (host: string, robots: string, ...links: string[]) =>
    startSite(
      ({ url = "/" }, response) => {
        if (url === "/robots.txt") response.writeHead(200, { "content-type": "text/plain" }).end(robots);
        else if (url.endsWith(".xml")) response.writeHead(404).end();
        else response.writeHead(200, HTML).end(page(url, ...(url === "/" ? links : [])));
      },
      { host },
    );
  reserved = await siteOf(
    "127.0.0.62",
    "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Signal: /free ai-train=yes\nAllow: /",
  );
  open = await siteOf(
    "127.0.0.61",
    "User-agent: *\nAllow: /",
    "/a",
    `${reserved.origin}/b`,
    `${reserved.origin}/free/c`,
  );
});

afterAll(async () => {
  await served.close();
  await Promise.all([open, reserved].map((site) => site?.close()));
  dir.remove();
});

const flags = ["--external", "--delay", "0"];

test("both sites allow search", async () => {
  const { byUrl, summary } = await crawl(`${dir.path}/search`, `${open.origin}/`, ...flags, ...served.remote);
  expect(summary).toMatchObject({ completed: 4, disallowed: 0 });
  expect(byUrl.get(`${reserved.origin}/b`)?.status).toBe("completed");
});

test("one site refuses ai-train, except for one path", async () => {
  const before = reserved.counts().size;
  const { byUrl } = await crawl(
    `${dir.path}/train`,
    `${open.origin}/`,
    ...flags,
    "--purpose",
    "ai-train",
    ...served.remote,
  );
  const record = byUrl.get(`${reserved.origin}/b`);
  expect([record?.status, record?.reason]).toEqual(["disallowed", "content-signal"]);
  expect(record?.explanation).toContain("Content-Signal: ai-train=no (for *)");
  expect(byUrl.get(`${reserved.origin}/free/c`)?.status).toBe("completed");
  expect(byUrl.get(`${open.origin}/a`)?.status).toBe("completed");
  expect(reserved.counts().get("/b")).toBe(1);
  expect(reserved.counts().size).toBe(before);
});

test("an unknown purpose is refused", async () => {
  const { code, stderr } = await run("crawl", `${open.origin}/`, "--purpose", "profit", ...served.remote);
  expect(code).toBe(2);
  expect(stderr).toContain("--purpose: ");
});

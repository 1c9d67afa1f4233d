import { expect, test } from "vitest";
import { HTML } from "../sites/handmade-site.ts";
import { startSite } from "../sites/site.ts";
import { crawl, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** `--allow-private`: private hosts that one crawl may ask beside those of its seeds. Others may not. */

const shared = shareServer();

test("a crawl asks the private hosts that it names, by links and redirects, and no other", async () => {
  const asked: string[] = [];
  const open = async (host: string, body: () => string) => {
    const site = await startSite(
      (request, response) => {
        if (request.url === "/robots.txt" || request.url?.startsWith("/sitemap"))
          return void response.writeHead(404).end();
        asked.push(`${host}${request.url}`);
        if (request.url === "/away") return void response.writeHead(302, { location: `${other.origin}/led` }).end();
        response.writeHead(200, HTML).end(`<title>${host}</title><p>What ${host} says of itself.</p>${body()}`);
      },
      { host },
    );
    shared.sites.push(site);
    return site;
  };
  const third = await open("127.0.9.9", () => "");
  const other = await open("127.0.0.2", () => "");
  const seed = await open("127.0.0.1", () =>
    [`${other.origin}/linked`, `${third.origin}/`, "/away"].map((to) => `<a href="${to}">x</a>`).join(""),
  );
  const { remote } = shared.served;
  const args = [`${seed.origin}/`, "--external", "--delay", "0", "--source", "links", ...remote];
  await crawl(shared.dir.path, ...args);
  expect(new Set(asked)).toEqual(new Set(["127.0.0.1/", "127.0.0.1/away"]));
  asked.length = 0;
  await crawl(shared.dir.path, ...args, "--allow-private", "127.0.0.0/24");
  expect(new Set(asked)).toEqual(new Set(["127.0.0.1/", "127.0.0.1/away", "127.0.0.2/linked", "127.0.0.2/led"]));
  const refused = await run("crawl", ...args, "--allow-private", "8.8.8.0/24");
  expect([refused.code, refused.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining("its addresses are public"),
  ]);
  expect(refused.code).not.toBe(0);
});

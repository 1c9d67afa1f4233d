import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { readRecords, scratch } from "./cli.ts";
import { canMount, withHosts } from "./hosts-file.ts";

/**
 * Sites on one's own machine that lead to another private host, by its address or by a name that looks public. The
 * names stand in a hosts file of the command's own, so the tests need mounts.
 */

const mounts = canMount("names that resolve to private addresses");
const browser = findBrowser("drawn pages that ask for private addresses");

const NAMES = `
127.0.0.1 localhost site.example third.example
127.0.0.9 inner.example
::ffff:127.0.0.9 mapped.example
0.0.0.0 nowhere.example
169.254.169.254 metadata.example
198.51.100.1 documentation.example`;

const dir = scratch();
const runCommand = withHosts(dir.path, NAMES);
/** Counts connections, whatever is sent on them. */
let connections = 0;
const canary = createServer((socket) => {
  connections += 1;
  socket.on("error", () => undefined);
  socket.end("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nin");
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, "0.0.0.0", resolve));
  ({ port } = canary.address() as AddressInfo);
});

afterAll(() => {
  canary.close();
  dir.remove();
});

const PRIVATE = ["127.0.0.9", "inner.example", "mapped.example", "nowhere.example", "localhost", "[::ffff:7f00:9]"];

/** Crawls two hosts that lead to the canary in each way that a site has. */
async function crawlBoth(name: string, variables: Record<string, string>, args: string[]) {
  connections = 0;
  const targets = PRIVATE.map((host) => `http://${host}:${port}`);
  const away = targets.map((target, i) => [`/away${i}`, target] as const);
  const site = await startSite((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://a");
    const isThird = request.headers.host?.startsWith("third.") ?? false;
    const redirect = (location: string) => void response.writeHead(302, { location }).end();
    if (pathname === "/robots.txt" && isThird) return redirect(`http://127.0.0.9:${port}/robots.txt`);
    if (pathname === "/robots.txt")
      return void response.end(targets.map((target) => `Sitemap: ${target}/sitemap.xml\n`).join(""));
    const target = away.find(([path]) => path === pathname)?.[1];
    if (target !== undefined) return redirect(`${target}/redirected`);
    if (pathname !== "/") return void response.writeHead(404).end();
    const html = [
      ...targets.map((to) => `<a href="${to}/linked">x</a><img src="${to}/a.png"><iframe src="${to}/frame"></iframe>`),
      ...targets.map((to) => `<link rel="preconnect" href="${to}"><link rel=dns-prefetch href="${to}">`),
      ...targets.map((to) => `<script src="${to}/a.js"></script><link rel=stylesheet href="${to}/a.css">`),
      ...away.map(([path]) => `<a href="${path}">x</a><script src="${path}"></script>`),
      `<p id=p>waits</p><script>
        for (const to of ${JSON.stringify(targets)}) {
          fetch(to + "/fetched", { mode: "no-cors" }).catch(() => 0);
          try { new WebSocket(to.replace("http", "ws")); } catch {}
          new Image().src = to + "/b.png";
        }
        Promise.allSettled(${JSON.stringify(away.map(([path]) => path))}.map((path) => fetch(path)))
          .then(() => { document.getElementById("p").textContent = "drawn to its end"; });
      </script>`,
    ];
    response.setHeader("content-type", "text/html");
    response.end(`<title>${isThird ? "third" : "home"}</title>${html.join("\n")}`);
  });
  const out = join(dir.path, name);
  const seeds = ["site", "third"].map((host) => `http://${host}.example:${site.port}/`);
  const options = ["--external", "--assets", "--delay", "0", "--out", out, ...args];
  await runCommand(variables, ["crawl", ...seeds, ...options, "--state", join(dir.path, `${name}-state`)]);
  await site.close();
  return { byUrl: new Map(readRecords(out).map((record) => [record.url, record])), seeds };
}

describe.skipIf(!mounts)("of the private hosts, only those of the seeds are asked", () => {
  const WAYS: [string, string[]][] = [
    ["fetched", []],
    ...(browser === undefined ? [] : [["drawn", ["--render", "always"]] satisfies [string, string[]]]),
  ];
  test.each(WAYS)("by pages that are %s", async (name, args) => {
    const { byUrl, seeds } = await crawlBoth(name, {}, args);
    const [home = "", third = ""] = seeds;
    expect(connections).toBe(0);
    expect(byUrl.get(home)).toMatchObject({ status: "completed", title: "home" });
    expect(byUrl.get(third)).toMatchObject({ status: "errored", reason: "private-address" });
    // A name is told when it is asked, an address before.
    expect(byUrl.has(`http://127.0.0.9:${port}/linked`)).toBe(false);
    expect(byUrl.get(`http://inner.example:${port}/linked`)).toMatchObject({
      status: "errored",
      reason: "private-address",
      explanation: expect.stringContaining("inner.example resolves to 127.0.0.9"),
    });
  });

  test("and all, if the operator says so", async () => {
    const { byUrl } = await crawlBoth("all", { ALLOW_PRIVATE: "true" }, []);
    expect(connections).toBeGreaterThan(PRIVATE.length);
    expect(byUrl.get(`http://inner.example:${port}/linked`)).toMatchObject({ status: "completed" });
  });
});

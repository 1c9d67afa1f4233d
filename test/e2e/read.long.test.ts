import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { tinyPdf } from "../sites/tiny-pdf.ts";
import { run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** `read`: one page on standard output, and nothing kept. */

const PAGE = `<!doctype html><title>Looms</title><nav><a href="/menu">Menu</a></nav><main><h1>Looms</h1>
  <p>A loom holds the warp under tension, so that the weft can pass between its threads.</p>
  <p>Most of them have <a href="/shafts">shafts</a>, which lift some of the threads at once.</p><p class="price">12.50</p></main>`;
const shared = shareServer();
let site: Site;

beforeAll(async () => {
  site = await startSite(({ url, headers }, response) => {
    const html = (body: string) => void response.setHeader("content-type", "text/html").end(body);
    if (url === "/looms") return html(PAGE);
    if (url === "/old") return void response.writeHead(301, { location: "/looms" }).end();
    if (url === "/closed" && headers.authorization === "Bearer t") return html("<title>In</title><p>Members only.");
    if (url === "/paper")
      return void response.setHeader("content-type", "application/pdf").end(tinyPdf("Paper", ["Warp and weft"]));
    response.writeHead(url === "/closed" ? 401 : 404).end();
  });
  shared.sites.push(site);
});

async function read(path: string, ...args: string[]) {
  return run("read", `${site.origin}${path}`, ...args, ...shared.served.remote);
}

test("prints the page in each format", async () => {
  const { code, stdout, stderr } = await read("/looms");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^# Looms\n\nA loom holds the warp/);
  expect(stdout).not.toContain("Menu");
  const formats = Object.fromEntries(
    await Promise.all(
      ["text", "html", "json", "links", "raw"].map(async (format) => [
        format,
        (await read("/looms", "--format", format)).stdout,
      ]),
    ),
  ) as Record<string, string>;
  expect(formats.text).toContain("A loom holds the warp");
  expect(formats.html).toContain("<h1>Looms</h1>");
  expect(JSON.parse(formats.json ?? "")).toMatchObject({ title: "Looms", url: `${site.origin}/looms` });
  expect(formats.links?.trim().split("\n").sort()).toEqual([`${site.origin}/menu`, `${site.origin}/shafts`]);
  expect(formats.raw).toBe(PAGE);
});

test("reads fields, documents, and what a header opens, and follows redirects", async () => {
  const rules = join(shared.dir.path, "rules.json");
  writeFileSync(rules, JSON.stringify({ price: { selector: ".price", as: "number" } }));
  const fields = await read("/looms", "--format", "fields", "--fields", rules);
  expect(JSON.parse(fields.stdout)).toEqual({ price: 12.5 });
  expect((await read("/old")).stdout).toContain("# Looms");
  expect((await read("/paper")).stdout).toContain("Warp and weft");
  expect((await read("/closed", "--header", "Authorization: Bearer t")).stdout).toContain("Members only.");
});

test("says why a page was not read, and keeps nothing", async () => {
  const missing = await read("/missing");
  expect([missing.code, missing.stdout]).toEqual([1, ""]);
  expect(missing.stderr).toBe(
    `${site.origin}/missing was not read: the server answered with an error: 404 Not Found.\n`,
  );
  const closed = await read("/closed");
  expect([closed.code, closed.stderr]).toEqual([1, expect.stringContaining("401 asks for a log-in: --header '")]);
  expect((await read("/looms", "--format", "fields")).stderr).toContain("--fields FILE");
  const { stdout } = await run("list", "--json", ...shared.served.remote);
  expect(JSON.parse(stdout)).toEqual([]);
});

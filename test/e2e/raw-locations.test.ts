import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, scratch } from "./cli.ts";

/** Redirects whose Location holds bytes beyond ASCII: a browser escapes each of them as it is. */

/** The bytes of a Location, as Latin-1, and the target. */
const CASES: [location: string, target: string][] = [
  ["/caf\xe9", "/caf%E9"],
  ["/caf\xc3\xa9", "/caf%C3%A9"],
  ["/\xe9\xc3\xa9", "/%E9%C3%A9"],
  ["/\xe2\x82\xac", "/%E2%82%AC"],
  ["/?q=\xfcber%20", "/?q=%FCber%20"],
];

const dir = scratch();
let site: Site;
let result: Awaited<ReturnType<typeof crawl>>;

beforeAll(async () => {
  site = await startSite((request, response) => {
    const [location] = CASES[Number(/^\/leads\/(\d)$/.exec(request.url ?? "")?.[1])] ?? [];
    if (location !== undefined) {
      const head = `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
      return void response.socket?.end(Buffer.from(head, "latin1"));
    }
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    const links = request.url === "/" ? CASES.map((_, i) => `/leads/${i}`) : [];
    response.writeHead(200, HTML).end(page("page", ...links));
  });
  result = await crawl(dir.path, `${site.origin}/`, "--delay", "0", "--concurrency", "4");
});

afterAll(async () => {
  await site.close();
  dir.remove();
});

test.each(CASES.map(([, target], i) => [target, i] as const))("%s", (target, i) => {
  const redirect = result.byUrl.get(`${site.origin}/leads/${i}`);
  expect(redirect).toMatchObject({
    reason: "redirected",
    explanation: expect.stringContaining(`to ${site.origin}${target}`),
  });
  expect(result.byUrl.get(site.origin + target)).toMatchObject({ status: "completed" });
});

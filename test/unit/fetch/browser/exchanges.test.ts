import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sha256Of } from "../../../../src/archive/sha256.ts";
import {
  type Exchange,
  type ExchangeName,
  Exchanges,
  MAX_KEPT_BYTES,
} from "../../../../src/fetch/browser/exchanges.ts";

const PAGE = "https://site.test/";
const CAPTURE = { warcinfoId: "crawl", via: null, hops: "L" };
const all = async (names: ExchangeName[]) => names;

function exchange(path: string, body: string | Uint8Array = path): Exchange {
  const payload = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = { status: 200, statusText: "OK", headers: [["content-type", "application/json"]] as [string, string][] };
  const request = { date: 1_000, requestHeaders: [["referer", PAGE]] as [string, string][], durationMs: 5 };
  return { url: `${PAGE}${path}`, ...head, ...request, payload, sha256: sha256Of(payload) };
}

test("each answer is a response, a request and metadata that name the page", async () => {
  const exchanges = new Exchanges();
  exchanges.add(exchange("a.json", "[1]"));
  const [kept] = await exchanges.toRecords(all, PAGE, CAPTURE);
  const response = gunzipSync(Buffer.concat(kept?.response ?? [])).toString();
  expect(response).toContain("WARC-Type: response\r\n");
  expect(response).toContain("WARC-Target-URI: https://site.test/a.json\r\n");
  expect(response).toContain("WARC-Date: 1970-01-01T00:00:01.000Z\r\n");
  expect(response).toMatch(/\r\n\r\n\[1\]\r\n\r\n$/);
  const others = gunzipSync(kept?.others ?? "").toString();
  expect(others).toContain("GET /a.json HTTP/1.1\r\nhost: site.test\r\nreferer: https://site.test/\r\n");
  expect(others).toContain("via: https://site.test/\r\nhopsFromSeed: LE\r\nfetchTimeMs: 5\r\n");
});

test("an answer that came twice, or that the archive has, is not kept again", async () => {
  const exchanges = new Exchanges();
  for (const path of ["a.json", "b.json", "a.json"]) exchanges.add(exchange(path));
  exchanges.add(exchange("a.json", "another"));
  const kept = await exchanges.toRecords(
    async (names) => names.filter(({ url }) => !url.endsWith("b.json")),
    PAGE,
    CAPTURE,
  );
  expect(kept.map(({ url, sha256 }) => [url, sha256])).toEqual([
    [`${PAGE}a.json`, sha256Of(new TextEncoder().encode("a.json"))],
    [`${PAGE}a.json`, sha256Of(new TextEncoder().encode("another"))],
  ]);
  expect(exchanges.unkept).toBe(0);
});

test("bytes beyond the limit are not kept, and counted", async () => {
  const exchanges = new Exchanges();
  exchanges.add(exchange("large", new Uint8Array(MAX_KEPT_BYTES - 10)));
  exchanges.add(exchange("too-much", new Uint8Array(11)));
  exchanges.add(exchange("fits", new Uint8Array(10)));
  expect((await exchanges.toRecords(all, PAGE, CAPTURE)).map(({ url }) => url)).toEqual([
    `${PAGE}large`,
    `${PAGE}fits`,
  ]);
  expect(exchanges.unkept).toBe(1);
});

test("cached bodies take room only where the archive lacks them", async () => {
  const exchanges = new Exchanges();
  exchanges.add(exchange("app.js", new Uint8Array(MAX_KEPT_BYTES)), true);
  exchanges.add(exchange("data", new Uint8Array(MAX_KEPT_BYTES - 1)));
  const lacking = async (names: ExchangeName[]) => names.filter(({ url }) => url.endsWith("data"));
  expect((await exchanges.toRecords(lacking, PAGE, CAPTURE)).map(({ url }) => url)).toEqual([`${PAGE}data`]);
  expect(exchanges.unkept).toBe(0);
  expect((await exchanges.toRecords(all, PAGE, CAPTURE)).map(({ url }) => url)).toEqual([`${PAGE}app.js`]);
  expect(exchanges.unkept).toBe(1);
});

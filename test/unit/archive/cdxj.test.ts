import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getSurt } from "warcio";
import { cdxjLine, compareLines, timestamp } from "../../../src/archive/cdxj.ts";
import { surt } from "../../../src/archive/surt.ts";
import {
  metadataRecord,
  requestRecord,
  responseRecord,
  revisitRecord,
  warcinfoRecord,
} from "../../../src/archive/warc-record.ts";
import { canonicalize } from "../../../src/url/canonicalize.ts";
import { gzipMembers } from "../../gzip-members.ts";
import { messyUrl } from "../url/messy-url.ts";
import { DATE, HELLO, HELLO_SHA256, sha256 } from "./samples.ts";
import { indexWithWarcio } from "./warcio.ts";

describe("sort keys", () => {
  test.each([
    ["http://example.com/", "com,example)/"],
    ["https://example.com/", "com,example)/"],
    ["https://example.com", "com,example)/"],
    ["https://www.example.com/", "com,example)/"],
    ["https://www2.example.com/", "com,example)/"],
    ["https://www12.example.com/", "com,example)/"],
    ["https://wwwa.example.com/", "com,example,wwwa)/"],
    ["https://www.www.example.com/", "com,example,www)/"],
    ["https://a.b.c.example.co.uk/x", "uk,co,example,c,b,a)/x"],
    ["https://example.com:8443/", "com,example:8443)/"],
    ["https://example.com:443/", "com,example)/"],
    ["http://example.com:80/", "com,example)/"],
    ["http://example.com:443/", "com,example:443)/"],
    ["https://user:secret@example.com/", "com,example)/"],
    ["https://example.com/#top", "com,example)/"],
    ["https://example.com/A/b.HTML", "com,example)/a/b.html"],
    ["https://example.com/a/", "com,example)/a/"],
    ["https://example.com//a//b", "com,example)//a//b"],
    ["https://example.com/%E4%BD%A0", "com,example)/%e4%bd%a0"],
    ["https://example.com/a%2Fb", "com,example)/a%2fb"],
    ["https://example.com/?", "com,example)/"],
    ["https://example.com/?b=2&a=1", "com,example)/?a=1&b=2"],
    ["https://example.com/?a=2&a=1", "com,example)/?a=1&a=2"],
    ["https://example.com/?Q=Text", "com,example)/?q=text"],
    ["https://example.com/?b&a=", "com,example)/?a=&b"],
    ["https://example.com/?a=1&&b", "com,example)/?&a=1&b"],
    ["https://example.com/?a[]=1", "com,example)/?a[]=1"],
    ["https://example.com/?q=a?b", "com,example)/?q=a?b"],
    ["https://xn--bcher-kva.example/", "example,xn--bcher-kva)/"],
    ["http://127.0.0.1:8080/", "1,0,0,127:8080)/"],
    ["http://[2001:db8::1]/", "[2001:db8::1])/"],
    ["urn:text:https://example.com/", "urn:text:https://example.com/"],
    ["urn:a b\u00e9", "urn:a%20b%C3%A9"],
    ["https://", "https://"],
  ])("%s is %s", (url, key) => expect(surt(url)).toBe(key));

  test("equal those of wabac.js for any URL that we crawl", () => {
    fc.assert(
      fc.property(messyUrl, (messy) => {
        const url = canonicalize(messy);
        fc.pre(url !== null);
        expect(surt(url)).toBe(getSurt(url));
      }),
      { numRuns: 2_000 },
    );
  });
});

test("the index of a file equals warcio's, except that we name the digest's algorithm", async () => {
  const http = { status: 203, statusText: "Fine", headers: [["content-type", "Text/Plain; charset=utf-8"]] as const };
  const urls = [
    "https://www.example.com/A?b=2&a=1",
    "http://127.0.0.1:8080/x",
    `https://a.example/${"b".repeat(5_000)}`,
  ];
  const captures = urls.map((url, at) => ({ url, date: DATE + at * 61_000, sha256: sha256(HELLO), ...http }));
  const { bytes, places } = gzipMembers([
    warcinfoRecord({ date: DATE, fields: [["software", "Orbweaver"]] }),
    ...captures.flatMap((capture, at) => [
      at === 2
        ? revisitRecord({ ...capture, bytes: 5, refersTo: captures[0] ?? capture })
        : responseRecord({ ...capture, payload: HELLO }),
      requestRecord({ ...capture, method: "GET", headers: [["accept", "*/*"]] }),
      metadataRecord({ ...capture, fields: [["hopsFromSeed", "L"]] }),
    ]),
  ]);
  const ours = captures.map((capture, at) => {
    const place = places[1 + 3 * at] ?? { offset: 0, length: 0 };
    return cdxjLine({ ...capture, ...place, contentType: "text/plain", isRevisit: at === 2, filename: "a.warc.gz" });
  });
  const read = (line: string) => {
    const at = line.indexOf(" {");
    return [line.slice(0, at), JSON.parse(line.slice(at).replace("sha256:", "").replace("Text/Plain", "text/plain"))];
  };
  expect(ours.map(read)).toEqual((await indexWithWarcio(bytes, "a.warc.gz")).map(read));
});

describe("lines", () => {
  const entry = {
    url: "https://www.example.com/é?b&a",
    date: DATE,
    contentType: "Text/HTML; charset=utf-8",
    status: 200,
    sha256: HELLO_SHA256,
    isRevisit: false,
    offset: 123,
    length: 456,
    filename: "data.warc.gz",
  };

  test("a response", () => {
    expect(cdxjLine(entry)).toBe(
      `com,example)/%C3%A9?a&b 20261121102030 {"url":"https://www.example.com/\\u00e9?b&a","mime":"text/html","status":"200","digest":"sha256:${HELLO_SHA256}","length":"456","offset":"123","filename":"data.warc.gz"}\n`,
    );
  });

  test("a revisit", () => {
    expect(cdxjLine({ ...entry, isRevisit: true })).toContain('"mime":"warc/revisit","status":"200"');
  });

  test("no type", () => expect(cdxjLine({ ...entry, contentType: null })).not.toContain("mime"));

  test("a time has 14 digits", () => {
    expect(timestamp(0)).toBe("19700101000000");
    expect(timestamp(DATE)).toBe("20261121102030");
  });

  test("lines are ordered by their bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(messyUrl, fc.integer({ min: 0, max: 2e12 }))), (pages) => {
        const lines = pages.map(([url, date]) => cdxjLine({ ...entry, url, date }));
        const asBytes = lines.map((line) => Buffer.from(line)).sort(Buffer.compare);
        expect([...lines].sort(compareLines)).toEqual(asBytes.map(String));
      }),
    );
  });
});

test("a line without a digest has no such field", () => {
  const entry = { url: "https://example.com/", date: DATE, contentType: null, status: 301, isRevisit: false };
  const line = cdxjLine({ ...entry, sha256: null, offset: 1, length: 2, filename: "a.warc.gz" });
  expect(JSON.parse(line.slice(line.indexOf("{")))).toEqual({
    url: "https://example.com/",
    status: "301",
    length: "2",
    offset: "1",
    filename: "a.warc.gz",
  });
});

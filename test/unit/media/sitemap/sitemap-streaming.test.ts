import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSitemap as readDocument } from "../../../../src/media/sitemap/sitemap.ts";
import type { SitemapLimits } from "../../../../src/media/sitemap/sitemap-list.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { listedIn } from "../../../listed-in.ts";

const BASE = "https://example.com/sitemap";
const KIB = 1024;
const readSitemap = async (
  chunks: AsyncIterable<Uint8Array>,
  url: string,
  contentType: string | null,
  limits: Partial<SitemapLimits> = {},
  by = canonicalize,
) => listedIn(await readDocument(chunks, url, contentType, by, limits));
const encoder = new TextEncoder();

interface Entry {
  url: string;
  lastmod: number | null;
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
const w3c = (ms: number) => new Date(ms).toISOString();
const rfc822 = (ms: number) => new Date(ms).toUTCString();
const element = (name: string, text: string | null) => (text === null ? "" : `<${name}>${escaped(text)}</${name}>`);
const dated = (ms: number | null, write: (ms: number) => string) => (ms === null ? null : write(ms));

/** Each format, as somebody might write it. */
const WRITERS = {
  urlset: (entries: Entry[]) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset>${entries
      .map(({ url, lastmod }) => `<url>\n${element("loc", url)}${element("lastmod", dated(lastmod, w3c))}</url>`)
      .join("\n")}</urlset>`,
  index: (entries: Entry[]) =>
    `<s:sitemapindex>${entries
      .map(
        ({ url, lastmod }) =>
          `<s:sitemap>${element("s:lastmod", dated(lastmod, w3c))}<s:loc><![CDATA[${url}]]></s:loc></s:sitemap>`,
      )
      .join("")}</s:sitemapindex>`,
  rss: (entries: Entry[]) =>
    `<rss><channel>${entries
      .map(({ url, lastmod }) => `<item>${element("link", url)}${element("pubDate", dated(lastmod, rfc822))}</item>`)
      .join("")}</channel></rss>`,
  atom: (entries: Entry[]) =>
    `<feed>${entries
      .map(
        ({ url, lastmod }) => `<entry><link href='${escaped(url)}'/>${element("updated", dated(lastmod, w3c))}</entry>`,
      )
      .join("")}</feed>`,
  text: (entries: Entry[]) => entries.map(({ url }) => `${url}\r\n`).join(""),
};
type Format = keyof typeof WRITERS;
const FORMATS = Object.keys(WRITERS) as Format[];

const entry = fc.record({
  url: fc
    .tuple(fc.constantFrom("https://example.com/", "http://ä.example:8080/x?"), fc.string({ unit: "grapheme" }))
    // Neither what ends a line or a CDATA section, nor what XML can't hold or the white space that it trims.
    .map(([start, end]) => start + end.replace(/[\r\n\]\s\p{C}]/gu, "")),
  lastmod: fc.option(fc.integer({ min: Date.UTC(1991) / 1000, max: Date.UTC(2100) / 1000 }).map((s) => s * 1000)),
});
const entries = fc.uniqueArray(entry, {
  minLength: 1,
  maxLength: 20,
  selector: ({ url }) => canonicalize(url, BASE),
});

function read(chunks: Iterable<Uint8Array>, url = BASE) {
  return readSitemap(asStream(chunks), url, null);
}

async function* asStream(chunks: Iterable<Uint8Array>) {
  yield* chunks;
}

function cutAt(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function* repeat(times: number, chunk: Uint8Array): Generator<Uint8Array> {
  for (let i = 0; i < times; i++) yield chunk;
}

describe("any list", () => {
  test.each(FORMATS)("reads back from %s, however it is cut", async (format) => {
    const cuts = fc.array(fc.nat(), { maxLength: 30 });
    // Moves the places where the reader itself cuts, each 64 KiB.
    const padding = fc.oneof(fc.constant(0), fc.integer({ min: 64 * KIB - 1500, max: 64 * KIB }));
    await fc.assert(
      fc.asyncProperty(entries, cuts, padding, async (written, cuts, padding) => {
        const body = encoder.encode(" ".repeat(padding) + WRITERS[format](written));
        const sitemap = await read(cutAt(body, cuts));
        const expected = written.map(({ url, lastmod }) => ({
          url: canonicalize(url, BASE),
          lastmod: format === "text" ? null : lastmod,
        }));
        expect(format === "index" ? sitemap.sitemaps : sitemap.pages).toEqual(expected);
        expect(sitemap).toMatchObject({ format, problem: null, truncated: null, invalid: { count: 0 } });
      }),
      { numRuns: 60 },
    );
  });

  test.each(FORMATS)("of %s, cut off anywhere, gives entries that are in it", async (format) => {
    await fc.assert(
      fc.asyncProperty(entries, fc.nat(), async (written, cut) => {
        const body = encoder.encode(WRITERS[format](written));
        const sitemap = await read([body.subarray(0, cut % body.length)]);
        const known = new Set(written.map(({ url }) => canonicalize(url, BASE)));
        const found = [...sitemap.pages, ...sitemap.sitemaps].map(({ url }) => url);
        // Only a text can't tell that its last line goes on.
        expect((format === "text" ? found.slice(0, -1) : found).filter((url) => !known.has(url))).toEqual([]);
        if (format !== "text") expect(sitemap.problem).not.toBeNull();
      }),
      { numRuns: 60 },
    );
  });
});

describe("any bytes", () => {
  const bits = fc.constantFrom(
    ..."<url>|</url>|<loc>|</loc>|<urlset>|</urlset>|<sitemap>|<sitemapindex>|<rss>|<item>|<link>|<guid>|<feed>|<entry>|<link href='|'/>".split(
      "|",
    ),
    ..."https://example.com/|http:|&amp;|&#0;|&#xffffffff;|&|<|>|]]>|<![CDATA[|<!--|-->|<!DOCTYPE x [|<?xml encoding='utf-16'?>|\n|\0".split(
      "|",
    ),
  );
  const messy = fc.array(
    fc.oneof(
      bits.map((bit) => encoder.encode(bit)),
      fc.uint8Array({ maxLength: 4 }),
    ),
  );
  const contentType = fc.constantFrom(
    null,
    "text/xml",
    "text/xml; charset=utf-16",
    "x;charset=iso-2022-jp",
    "x;charset=",
  );

  test("never make it throw, and give canonical URLs, each once", async () => {
    await fc.assert(
      fc.asyncProperty(messy, contentType, async (chunks, contentType) => {
        const sitemap = await readSitemap(asStream(chunks), BASE, contentType);
        const urls = sitemap.pages.map(({ url }) => url);
        expect(new Set(urls).size).toBe(urls.length);
        expect(urls.map((url) => canonicalize(url, BASE))).toEqual(urls);
        expect(sitemap.invalid.examples.length).toBe(Math.min(sitemap.invalid.count, 3));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("long files", () => {
  test("50,000 entries of 200 bytes are read as they come", async () => {
    let resolved = 0;
    const lines = (from: number) =>
      Array.from(
        { length: 100 },
        (_, i) =>
          `<url><loc>https://example.com/${"path/".repeat(20)}${from + i}</loc><lastmod>2024-05-01T00:00:00Z</lastmod></url>\n`,
      ).join("");
    let sent = 0;
    async function* chunks() {
      yield encoder.encode("<urlset>");
      for (let from = 0; from < 50_000; from += 100) {
        const chunk = encoder.encode(lines(from));
        sent += chunk.length;
        yield chunk;
        // Asked for the next chunk, when all but the last 64 KiB has been read.
        expect((from + 100 - resolved) * 170).toBeLessThanOrEqual(64 * KIB + chunk.length);
      }
      yield encoder.encode("</urlset>");
    }
    const sitemap = await readSitemap(chunks(), BASE, null, {}, (href, base) => {
      resolved += 1;
      return canonicalize(href, base);
    });
    expect(sent).toBeGreaterThan(9e6);
    expect(sitemap).toMatchObject({ problem: null, truncated: null });
    expect(sitemap.pages).toHaveLength(50_000);
    expect(sitemap.pages[49_999]).toEqual({
      url: `https://example.com/${"path/".repeat(20)}49999`,
      lastmod: Date.UTC(2024, 4),
    });
  });

  const page = (path: string) => `<url><loc>/${path}</loc></url>`;
  test.each<[name: string, start: string, filler: string, end: string, pages: string[]]>([
    ["a comment", "<!--", " comment", "-->", ["a", "b"]],
    ["a CDATA section", "<x><![CDATA[", "<url>]] ", "]]></x>", ["a", "b"]],
    ["a CDATA section as a URL", "<url><loc><![CDATA[", "http://x", "]]></loc></url>", ["a", "b"]],
    ["a URL", "<url><loc>http://example.com/", "xxxxxxxx", "</loc></url>", ["a", "b"]],
    ["a URL of entities", "<url><loc>http://example.com/", "&amp;&lt;", "</loc></url>", ["a", "b"]],
    ["an attribute", "<url x='", '&lt;="> ', "'/>", ["a", "b"]],
    ["an href", "<url><xhtml:link rel='alternate' href='/", "xxxxxxxx", "'/></url>", ["a", "b"]],
    ["an attribute's name", "<url ", "xxxxxxxx", "/>", ["a", "b"]],
    ["attributes", "<url ", "a='b' c ", "/>", ["a", "b"]],
    ["a name", "<", "xxxxxxxx", "/>", ["a", "b"]],
    ["a closing name", "</", "xxxxxxxx", ">", ["a", "b"]],
    ["an entity", "<x>&#", "00000000", "65;</x>", ["a", "b"]],
    ["an instruction", "<?x ", "xxxxxxxx", "?>", ["a", "b"]],
    ["elements in elements", "<x>", "<a><b>  ", "</x>", ["a", "b"]],
    ["urls in urls", "", "<url><x>", "", ["a", "b"]],
    ["ends without a beginning", "", "</c></d>", "", ["a", "b"]],
    ["a date", "<url><loc>/a</loc><lastmod>", "20240101", "</lastmod></url>", ["a", "b"]],
  ])("%s of 8 MB between two entries", async (_, start, filler, end, pages) => {
    const block = encoder.encode(filler.repeat(KIB));
    const sitemap = await read([
      encoder.encode(`<urlset>${page("a")}${start}`),
      ...repeat(1024, block),
      encoder.encode(`${end}${page("b")}</urlset>`),
    ]);
    expect(sitemap.pages.map(({ url }) => url.replace("https://example.com/", ""))).toEqual(pages);
    expect(sitemap.problem).toBeNull();
    expect(sitemap.invalid.examples.join("").length).toBeLessThanOrEqual(200);
  });

  test("a line of 8 MB in a list counts as one that is no URL", async () => {
    const [before, line, after] = ["https://example.com/a\n", "https://example.com/", "\nhttps://example.com/b"];
    const chunks = [
      encoder.encode(before + line),
      ...repeat(128, encoder.encode("x".repeat(64 * KIB))),
      encoder.encode(after),
    ];
    const sitemap = await read(chunks);
    expect(sitemap.pages).toHaveLength(2);
    expect(sitemap.invalid).toEqual({ count: 1, examples: [`https://example.com/${"x".repeat(180)}`] });
  });
});

describe("reading ends early, and lets the stream go", () => {
  const urls = (count: number) => Array.from({ length: count }, (_, i) => `<url><loc>/${i}</loc></url>`).join("");
  test.each<[name: string, start: string, truncated: string | null, problem: string | null]>([
    ["at too many bytes after too many URLs", `<urlset>${urls(11)}`, "more than 10 URLs", null],
    ["at HTML", "<!DOCTYPE html>", null, "it is an HTML page"],
    ["at a second root", "<urlset></urlset><urlset>", null, "another <urlset> follows after its end"],
    ["at binary", "\0", null, "it is neither XML nor text"],
    ["at too many bytes", "<urlset>", "more than 1,000,000 bytes", null],
  ])("%s", async (_, start, truncated, problem) => {
    let asked = 0;
    let isReleased = false;
    async function* endless() {
      try {
        yield encoder.encode(start);
        for (;;) {
          asked += 1;
          yield new Uint8Array(16 * KIB).fill(32);
        }
      } finally {
        isReleased = true;
      }
    }
    const sitemap = await readSitemap(endless(), BASE, null, { urls: 10, bytes: 1_000_000 });
    expect(sitemap).toMatchObject({ truncated, problem });
    expect(isReleased).toBe(true);
    expect(asked * 16 * KIB).toBeLessThanOrEqual(truncated !== null ? 1_000_000 + 64 * KIB : 64 * KIB);
  });
});

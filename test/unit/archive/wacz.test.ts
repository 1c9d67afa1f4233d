import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { cdxBlocks, IDX_HEADER } from "../../../src/archive/cdx-blocks.ts";
import { gunzipMember } from "../../../src/archive/gzip-member.ts";
import { startSha256 } from "../../../src/archive/sha256.ts";
import { type WaczPart, waczBytes, writeWacz } from "../../../src/archive/wacz.ts";
import { pageLine, pagesHeader } from "../../../src/archive/wacz-pages.ts";
import { DATE, HELLO, HELLO_SHA256, sha256 } from "./samples.ts";

const info = { title: "A crawl: é", created: DATE, software: "Orbweaver/0.1.0" };

/** The bytes in chunks of `size`, and an empty chunk. */
function part(path: string, content: Uint8Array | string, size = 7): WaczPart {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  async function* open() {
    for (let at = 0; at < bytes.length; at += size) {
      yield bytes.subarray(at, at + size);
      yield new Uint8Array(0);
    }
  }
  return { path, bytes: bytes.length, open };
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

const parts = [
  part("archive/Data.warc.gz", new Uint8Array(100_000).fill(7), 5_000),
  part("indexes/index.cdx", "com,example)/ 20261121102030 {}\n"),
  part(
    "pages/pages.jsonl",
    `${pagesHeader(false)}${pageLine({ id: "1", url: "https://a/", date: DATE, title: null })}`,
  ),
  part("archive/empty.warc.gz", ""),
];

describe("a WACZ", () => {
  test("has its parts and their digests", async () => {
    const mainPage = { url: "https://example.com/", date: DATE };
    const files = unzipSync(await bytesOf(writeWacz(parts, { ...info, mainPage })));
    expect(Object.keys(files)).toEqual([
      ...parts.map(({ path }) => path),
      "datapackage.json",
      "datapackage-digest.json",
    ]);
    const { resources, ...about } = JSON.parse(text(files["datapackage.json"]));
    expect(about).toEqual({
      profile: "data-package",
      wacz_version: "1.1.1",
      title: "A crawl: é",
      created: "2026-11-21T10:20:30.456Z",
      software: "Orbweaver/0.1.0",
      mainPageUrl: "https://example.com/",
      mainPageDate: "2026-11-21T10:20:30.456Z",
    });
    expect(resources).toEqual(
      parts.map(({ path, bytes }) => ({
        name: path.split("/")[1]?.toLowerCase(),
        path,
        hash: `sha256:${sha256(files[path] ?? HELLO)}`,
        bytes,
      })),
    );
    expect(JSON.parse(text(files["datapackage-digest.json"]))).toEqual({
      path: "datapackage.json",
      hash: `sha256:${sha256(files["datapackage.json"] ?? HELLO)}`,
    });
    for (const { path, open } of parts)
      expect(sha256(files[path] ?? HELLO)).toBe(sha256(Buffer.concat(await collect(open()))));
  });

  test("does not compress, because a reader asks for ranges", async () => {
    const zip = Buffer.from(await bytesOf(writeWacz(parts, info)));
    expect(zip.includes(Buffer.alloc(100_000, 7))).toBe(true);
  });

  test("has the predicted length, and the same bytes each time", async () => {
    const [once, again] = [await bytesOf(writeWacz(parts, info)), await bytesOf(writeWacz(parts, info))];
    expect(once.byteLength).toBe(waczBytes(parts, info));
    expect(Buffer.compare(once, again)).toBe(0);
  });

  test("uses a known digest", async () => {
    const known = { ...part("archive/a.warc.gz", HELLO), sha256: "f".repeat(64) };
    const files = unzipSync(await bytesOf(writeWacz([known], info)));
    expect(JSON.parse(text(files["datapackage.json"])).resources[0].hash).toBe(`sha256:${"f".repeat(64)}`);
  });

  test("fails if a part has another length than declared", async () => {
    const wrong = { ...part("archive/a.warc.gz", HELLO), bytes: 6 };
    await expect(bytesOf(writeWacz([wrong], info))).rejects.toThrow("archive/a.warc.gz has 5 bytes instead of 6");
  });

  test("closes its parts when the reader stops", async () => {
    let isOpen = false;
    async function* open() {
      isOpen = true;
      try {
        for (;;) yield new Uint8Array(1_000);
      } finally {
        isOpen = false;
      }
    }
    const reader = writeWacz([{ path: "archive/a.warc.gz", bytes: 1e12, open }], info).getReader();
    for (let chunks = 0; chunks < 5; chunks++) await reader.read();
    expect(isOpen).toBe(true);
    await reader.cancel();
    expect(isOpen).toBe(false);
  });
});

test("the predicted length is right for ZIP64, above 4 GiB", () => {
  const sizes = [4 * 2 ** 30, 5 * 2 ** 30].map((bytes, at) => ({ path: `archive/${at}.warc.gz`, bytes }));
  expect(waczBytes(sizes, info)).toBeGreaterThan(9 * 2 ** 30);
});

describe("a large index", () => {
  const lines = Array.from(
    { length: 1_000 },
    (_, n) => `com,example)/${String(n).padStart(4, "0")} 20261121102030 {"n":${n}}\n`,
  );

  test("has members that can be read alone", async () => {
    const blocks = await collect(cdxBlocks(lines, 300));
    const file = Buffer.concat(blocks.map(({ bytes }) => bytes));
    expect(blocks).toHaveLength(4);
    const read: string[] = [];
    for (const [n, { idxLine }] of blocks.entries()) {
      const at = idxLine.indexOf(" {");
      expect(idxLine.slice(0, at)).toBe(lines[n * 300]?.split(" {")[0]);
      const { offset, length, digest, filename } = JSON.parse(idxLine.slice(at));
      const member = file.subarray(offset, offset + length);
      expect(digest).toBe(`sha256:${sha256(member)}`);
      expect(filename).toBe("index.cdx.gz");
      read.push(text(await gunzipMember(member)));
    }
    expect(read.join("")).toBe(lines.join(""));
  });

  test("may be empty", async () => expect(await collect(cdxBlocks([]))).toEqual([]));

  test("names its format", () => {
    expect(IDX_HEADER).toBe('!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}\n');
  });
});

test("pages, one a line", () => {
  expect(pagesHeader(true)).toBe('{"format":"json-pages-1.0","id":"pages","title":"All Pages","hasText":true}\n');
  expect(pageLine({ id: "1", url: "https://a/", date: DATE, title: "A\nb", text: "t" })).toBe(
    '{"id":"1","url":"https://a/","ts":"2026-11-21T10:20:30.456Z","title":"A\\nb","text":"t"}\n',
  );
});

test("a digest of chunks", async () => {
  const hash = startSha256();
  for (const byte of HELLO) hash.update(Uint8Array.of(byte));
  expect(hash.digest()).toBe(HELLO_SHA256);
});

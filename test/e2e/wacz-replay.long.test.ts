import { createHash } from "node:crypto";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cdxBlocks, IDX_HEADER } from "../../src/archive/cdx-blocks.ts";
import { cdxjLine, compareLines } from "../../src/archive/cdxj.ts";
import { type WaczPart, waczBytes, writeWacz } from "../../src/archive/wacz.ts";
import { pageLine, pagesHeader } from "../../src/archive/wacz-pages.ts";
import {
  type RecordBytes,
  requestRecord,
  responseRecord,
  revisitRecord,
  warcinfoRecord,
} from "../../src/archive/warc-record.ts";
import { gzipMembers } from "../gzip-members.ts";
import { findBrowser } from "./browser.ts";
import { type Player, startPlayer } from "./player.ts";

/** Our WACZ files open in the real ReplayWeb.page, in a browser that reaches only this machine. */

const BROWSER = findBrowser("that ReplayWeb.page opens a WACZ");

const HOME = "https://www.example.test/";
const COPY = "https://www.example.test/copy?b=2&a=1";
const MOVED = "https://www.example.test/moved";
const IMAGE = "https://static.example.test/dot.png";
const FIRST = Date.UTC(2026, 10, 21, 10, 20, 30, 456);
/** 3 by 2 pixels. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7h/C5SAAAAABJRU5ErkJggg==",
  "base64",
);
const HTML = new TextEncoder().encode(
  `<!doctype html><meta charset=utf-8><title>Home</title><h1>Straße 你好</h1><img src="${IMAGE}">`,
);

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const ok = { status: 200, statusText: "OK" };
/** Headers of a compressed body that the runtime has already decompressed. */
const packed = [
  ["content-type", "text/html"],
  ["content-encoding", "gzip"],
  ["content-length", "77"],
] as const;

interface Capture {
  url: string;
  date: number;
  contentType: string;
  body: Uint8Array;
  isRevisit: boolean;
  /** Null for an answer that is no page: its digest is not known. */
  digest: string | null;
  status: number;
  record: RecordBytes;
}

const captures: Capture[] = [
  [HOME, FIRST, "text/html", HTML, packed] as const,
  [IMAGE, FIRST + 1_000, "image/png", PNG, [["content-type", "image/png"]]] as const,
].map(([url, date, contentType, body, headers]) => ({
  url,
  date,
  contentType,
  body,
  isRevisit: false,
  digest: sha256(body),
  status: 200,
  record: responseRecord({ url, date, ...ok, headers, payload: body, sha256: sha256(body) }),
}));
captures.push({
  url: COPY,
  date: FIRST + 2_000,
  contentType: "text/html",
  body: HTML,
  isRevisit: true,
  digest: sha256(HTML),
  status: 200,
  record: revisitRecord({
    url: COPY,
    date: FIRST + 2_000,
    ...ok,
    headers: packed,
    sha256: sha256(HTML),
    bytes: HTML.length,
    refersTo: { url: HOME, date: FIRST },
  }),
});

captures.push({
  url: MOVED,
  date: FIRST + 3_000,
  contentType: "",
  body: new Uint8Array(0),
  isRevisit: false,
  digest: null,
  status: 301,
  record: responseRecord({
    url: MOVED,
    date: FIRST + 3_000,
    status: 301,
    statusText: "Moved Permanently",
    headers: [["location", HOME]],
    payload: new Uint8Array(0),
    sha256: sha256(new Uint8Array(0)),
  }),
});

function part(path: string, bytes: Uint8Array): WaczPart {
  async function* open() {
    yield bytes;
  }
  return { path, bytes: bytes.byteLength, open };
}

async function makeWacz(isLarge: boolean): Promise<Buffer> {
  const filename = "data.warc.gz";
  const info = warcinfoRecord({ date: FIRST, filename, fields: [["software", "Orbweaver"]] });
  const requests = captures.map(({ url, date }) => requestRecord({ url, date, method: "GET", headers: [] }));
  const { bytes, places } = gzipMembers([info, ...captures.flatMap(({ record }, at) => [record, requests[at] ?? []])]);
  const lines = captures
    .map((capture, at) => {
      const place = places[1 + 2 * at] ?? { offset: 0, length: 0 };
      return cdxjLine({ ...capture, ...place, sha256: capture.digest, filename });
    })
    .sort(compareLines);
  const pages = [HOME, COPY].map((url, at) => pageLine({ id: `${at}`, url, date: FIRST + 2_000 * at, title: "Home" }));
  const text = (...all: string[]) => new TextEncoder().encode(all.join(""));
  const index = isLarge ? await largeIndex(lines) : [part("indexes/index.cdx", text(...lines))];
  const parts = [
    part(`archive/${filename}`, bytes),
    ...index,
    part("pages/pages.jsonl", text(pagesHeader(false), ...pages)),
  ];
  const about = { title: "A crawl", created: FIRST, software: "Orbweaver", mainPage: { url: HOME, date: FIRST } };
  const wacz = Buffer.from(await new Response(writeWacz(parts, about)).arrayBuffer());
  expect(wacz.byteLength).toBe(waczBytes(parts, about));
  return wacz;
}

async function largeIndex(lines: string[]): Promise<WaczPart[]> {
  const members: Uint8Array[] = [];
  let idx = IDX_HEADER;
  for await (const { bytes, idxLine } of cdxBlocks(lines, 2)) {
    members.push(bytes);
    idx += idxLine;
  }
  return [
    part("indexes/index.cdx.gz", Buffer.concat(members)),
    part("indexes/index.idx", new TextEncoder().encode(idx)),
  ];
}

let player: Player;
let browser: Browser;

beforeAll(async () => {
  if (BROWSER === undefined) return;
  player = await startPlayer({ "small.wacz": await makeWacz(false), "large.wacz": await makeWacz(true) });
  // Neither the archive nor the player may load anything from elsewhere.
  const args = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];
  browser = await chromium.launch({ executablePath: BROWSER, args });
});

afterAll(async () => {
  await browser?.close();
  await player?.close();
});

describe.skipIf(BROWSER === undefined)("in ReplayWeb.page", () => {
  test.each([
    ["a redirect", "small", MOVED, HOME],
    ["a redirect in a large index", "large", MOVED, HOME],
    ["a page and its image", "small", HOME],
    ["a revisit of a page", "small", COPY],
    ["a page and its image from a large index", "large", HOME],
    ["a revisit of a page from a large index", "large", COPY],
  ])("%s", async (_, size, url, shown = url) => {
    const { context, frame } = await player.open(browser, `${size}.wacz`, url, shown);
    try {
      expect(await frame.locator("h1").textContent()).toBe("Straße 你好");
      const image = frame.locator("img");
      await expect
        .poll(() => image.evaluate((img: HTMLImageElement) => [img.naturalWidth, img.naturalHeight]))
        .toEqual([3, 2]);
    } finally {
      await context.close();
    }
  });
});

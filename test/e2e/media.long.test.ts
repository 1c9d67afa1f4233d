import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WARCParser } from "warcio";
import type { RecordView, SearchView } from "../../src/api/views.ts";
import { longSound, sample } from "../samples/media/long-files.ts";
import { answerRange } from "../sites/ranged-file.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** `crawl --media`: what sounds, films and pictures say about themselves, by ranges at the host's pace. */

const dir = scratch();
let site: Site;
let served: Served;
let byUrl: Map<string, RecordView>;
let id: string;
/** Bytes of bodies that left the site, by path. */
const sent = new Map<string, number>();

const LONG = longSound(2_000_000);
const CHANGED = longSound(900_000);
const SVG = '<svg viewBox="0 0 30 15"><title>A web</title></svg>';
const PACE_MS = 100;
const HOME = `<!doctype html><title>Media</title><a href="/long.m4a">long</a> <a href="/page.mp3">no sound</a>
<a href="/gone.mp3">gone</a> <a href="/moved.mp3">moved</a> <a href="/whole.m4a">whole</a> <a href="/changed.m4a">x</a>
<a href="/liar.m4a">x</a> <a href="/coded.svg">x</a> <a rel="enclosure" href="/enclosed?nr=1">x</a> <a href="/next">next</a>
<img src="/photo.jpg" alt=""><img src="/pixel.gif" width="1" height="1" alt=""><video src="/film.webm"></video>
<audio><source src="/vorbis.ogg"></audio><link rel="stylesheet" href="/style.css">`;

beforeAll(async () => {
  let changes = 0;
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    response.on("close", () => sent.set(path, (sent.get(path) ?? 0) + (response.socket?.bytesWritten ?? 0)));
    const ranged = (file: Uint8Array, type: string, headers: Record<string, string> = {}) =>
      answerRange(request, response, file, { "content-type": type, ...headers });
    switch (path) {
      case "/":
        return void response.writeHead(200, { "content-type": "text/html" }).end(HOME);
      case "/next":
        return void response.writeHead(200, { "content-type": "text/html" }).end("<title>Next</title>");
      case "/long.m4a":
        return ranged(LONG, "application/octet-stream", { etag: '"1"' });
      case "/changed.m4a":
        changes += 1;
        return ranged(CHANGED, "audio/mp4", { etag: `"${changes}"` });
      case "/liar.m4a": {
        // It names three times its size, so the end is asked for where there is nothing.
        if (!(request.headers.range ?? "").startsWith("bytes=0-")) return void response.writeHead(416).end();
        const headers = { "content-range": `bytes 0-65535/${3 * LONG.byteLength}`, "content-type": "audio/mp4" };
        return void response.writeHead(206, headers).end(LONG.subarray(0, 65_536));
      }
      case "/whole.m4a":
        return void response.writeHead(200, { "content-type": "audio/mp4" }).end(LONG);
      case "/coded.svg": {
        const svg = gzipSync(SVG);
        return void response.writeHead(200, { "content-type": "image/svg+xml", "content-encoding": "gzip" }).end(svg);
      }
      case "/page.mp3":
        return void response.writeHead(200, { "content-type": "text/html" }).end("<p>Not found</p>");
      case "/moved.mp3":
        return void response.writeHead(302, { location: "/id3v23.mp3" }).end();
      case "/enclosed?nr=1":
        return ranged(sample("opus.opus"), "audio/ogg");
      case "/photo.jpg":
      case "/film.webm":
      case "/vorbis.ogg":
      case "/id3v23.mp3":
        return ranged(sample(path.slice(1)), "application/octet-stream");
      default:
        return void response.writeHead(404, { "content-type": "text/plain" }).end("no");
    }
  });
  served = await serve(join(dir.path, "served"));
  const args = ["--media", "--search", "--limit", "2", "--delay", String(PACE_MS / 1_000), "--store", "warc"];
  const crawled = await crawl(join(dir.path, "out"), `${site.origin}/`, "--source", "links", ...args, ...served.remote);
  ({ byUrl } = crawled);
  id = crawled.summary.id;
  expect(crawled.summary).toMatchObject({ status: "completed", completed: 12, assets: 10 });
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

const record = (path: string) => byUrl.get(`${site.origin}${path}`);
const TAGS = { title: "Grüße", artist: "Weavers", album: "Orbits", year: 2021 };

test("each file has a record with its facts and its size, and no body", () => {
  const facts: [path: string, bytes: number, media: object][] = [
    ["/long.m4a", LONG.byteLength, { ...TAGS, type: "audio/mp4", sampleRate: 22_050 }],
    ["/photo.jpg", sample("photo.jpg").byteLength, { width: 64, height: 48, camera: "Canon EOS 5D" }],
    ["/film.webm", sample("film.webm").byteLength, { ...TAGS, type: "video/webm", width: 64, height: 48 }],
    ["/vorbis.ogg", sample("vorbis.ogg").byteLength, { ...TAGS, durationS: 1 }],
    ["/id3v23.mp3", sample("id3v23.mp3").byteLength, { ...TAGS, bitRate: 32_000 }],
    ["/enclosed?nr=1", sample("opus.opus").byteLength, { ...TAGS, codecs: ["Opus"] }],
    ["/coded.svg", SVG.length, { type: "image/svg+xml", width: 30, height: 15, title: "A web" }],
  ];
  for (const [path, bytes, media] of facts) {
    const stands = { status: "completed", asset: true, bytes, sha256: null, file: null, media, explanation: null };
    expect.soft([path, record(path)]).toMatchObject([path, stands]);
  }
  expect(record("/photo.jpg")?.media?.location).toEqual({ latitude: 50.9375, longitude: -6.9603 });
});

test("what a server does to one file costs that file alone, and is said", () => {
  const ends = (path: string) => [record(path)?.status, record(path)?.reason, record(path)?.explanation];
  expect(ends("/page.mp3")).toEqual(["errored", "parse", expect.stringContaining("no sound, film or picture")]);
  expect(ends("/gone.mp3")).toEqual(["errored", "http-status", expect.stringContaining("404")]);
  expect(ends("/moved.mp3")).toEqual(["skipped", "redirected", expect.stringContaining("/id3v23.mp3")]);
  expect(ends("/changed.m4a")).toEqual(["completed", null, expect.stringContaining("changed in between")]);
  expect(ends("/liar.m4a")).toEqual(["completed", null, expect.stringContaining("416")]);
  expect(ends("/whole.m4a")).toEqual(["completed", null, expect.stringContaining("no ranges")]);
  expect(record("/changed.m4a")?.media).toMatchObject({ type: "audio/mp4", title: null });
  expect(record("/next")).toMatchObject({ status: "completed", asset: false, media: null });
  for (const path of ["/pixel.gif", "/style.css"]) expect(record(path)).toBeUndefined();
});

test("ranges keep the host's pace, one at a time, and the rest of a file never comes", () => {
  const { log } = site;
  const counts = site.counts();
  expect([counts.get("/long.m4a"), counts.get("/photo.jpg"), counts.get("/whole.m4a")]).toEqual([2, 1, 1]);
  const gaps = log.slice(1).map(({ startedAt }, i) => startedAt - (log[i]?.startedAt ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(PACE_MS - 5);
  // What had left before the connection was closed, sockets' buffers included.
  expect(sent.get("/whole.m4a")).toBeLessThan(LONG.byteLength);
});

test("the facts are searched, exported and in the archive", async () => {
  const found = await run("search", "Weavers Orbits", "--crawl", id, "--json", ...served.remote);
  const { hits } = JSON.parse(found.stdout) as SearchView;
  expect(hits.map(({ url }) => url).sort()).toEqual(
    ["/enclosed?nr=1", "/film.webm", "/id3v23.mp3", "/long.m4a", "/vorbis.ogg"]
      .map((path) => site.origin + path)
      .sort(),
  );
  const csv = await run("export", id, "--format", "csv", ...served.remote);
  expect(csv.stdout).toContain('""artist"":""Weavers""');
  const warc = join(dir.path, "media.warc.gz");
  expect((await run("export", id, "--format", "warc", "--out", warc, ...served.remote)).code).toBe(0);
  const described: string[] = [];
  const stream = new Blob([readFileSync(warc)]).stream();
  for await (const each of new WARCParser(stream)) {
    const text = await each.contentText();
    if (each.warcType === "metadata" && text.includes("mediaFacts")) described.push(each.warcTargetURI ?? "");
    else if (each.warcType === "response") expect(each.warcTargetURI).not.toBe(`${site.origin}/long.m4a`);
  }
  expect(described).toContain(`${site.origin}/long.m4a`);
  expect(described).toHaveLength(10);
  expect(
    readdirSync(join(dir.path, "out", "out"), { recursive: true }).filter((name) => /m4a|webm/.test(String(name))),
  ).toEqual([]);
});

test("Markdown, text and the facts of a file are formats of it", async () => {
  const ask = async (format: string) => {
    const query = new URLSearchParams({ url: `${site.origin}/long.m4a`, format });
    const answer = await fetch(`${served.address}/api/crawls/${id}/page?${query}`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    return [answer.status, await answer.text()];
  };
  expect(await ask("markdown")).toEqual([
    200,
    expect.stringMatching(/^# Grüße\n[\s\S]*- Artist: Weavers\n- Album: Orbits/),
  ]);
  expect(await ask("json")).toEqual([200, expect.stringContaining('"author":"Weavers"')]);
});

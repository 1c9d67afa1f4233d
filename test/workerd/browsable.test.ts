import { createExecutionContext, env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";
import { discovered, settled } from "./rows.ts";

/** A stored page as a file of a folder that opens offline: `GET /page?format=browsable`. */

const SEED = "https://a.test/";
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
/** Bodies and media types by path. */
const PAGES: Record<string, [string, string]> = {
  "": [
    `<!doctype html><meta charset=windows-1252><a href="b?x=1&amp;y=2#z">Stra\xdfe</a><a href="old" target=_blank>old</a>
<a href="gone">gone</a><a href=//c.test/>elsewhere</a><a href=#top>top</a><img src=dot srcset="dot 1x, /img/Dot.PNG 2x">
<link rel=stylesheet href="s.css?v=1" integrity="sha384-x"><p style="background: url('dot')">`,
    "text/html",
  ],
  "b?x=1&y=2": ["<base href=/dir/><a href=../>home</a><meta http-equiv=refresh content='3;url=../old'>", "text/html"],
  "s.css?v=1": [`@charset "windows-1252"; @import 'more'; a { b: url("dot") } /* \xdf */`, "text/css"],
  more: ["a { b: url(/s.css?v=1) }", "text/css"],
  dot: ["\x89PNG\xff", "image/png"],
  "img/Dot.PNG": ["\x89PNG", "image/png"],
  notes: ["<a href=/>", "text/plain"],
  // Whether this <xmp> counts depends on what a browser does with the <select> around it.
  ambiguous: ["<a href=dot><select><xmp><b></xmp></select>", "text/html"],
};
let id: string;

beforeAll(async () => {
  const init = {
    method: "POST",
    headers: { authorization: "Bearer test-token" },
    body: JSON.stringify({ url: SEED, limit: 1_000 }),
  };
  const silent = { sendBatch: async () => undefined } as unknown as Queue;
  const started = await app.request("/api/crawls", init, { ...env, FRONTIER: silent }, createExecutionContext());
  id = ((await started.json()) as { result: { id: string } }).result.id;
  const ledger = new Ledger(env.LEDGER);
  const mirror = new Mirror(env.MIRROR);
  const urls = [...Object.keys(PAGES), "old", "gone"].map((path) => SEED + path);
  const discoveries = urls.slice(1).map((url) => discovered(url, { via: SEED }));
  await ledger.commit([{ ...emptyCommit(id), discoveries }], 1);
  const outcomes = [
    ...Object.entries(PAGES).map(([path, [, contentType]]) => settled(SEED + path, { contentType })),
    settled(`${SEED}old`, { status: "skipped", reason: "redirected", detail: `to ${SEED}b?x=1&y=2` }),
    settled(`${SEED}gone`, { status: "errored", reason: "http-status", detail: "404" }),
  ];
  await ledger.commit([{ ...emptyCommit(id), outcomes }], 2);
  for (const [path, [body, contentType]] of Object.entries(PAGES))
    await mirror.put({
      crawl: id,
      url: SEED + path,
      body: latin1(body),
      contentType,
      httpStatus: 200,
      sha256: "00",
      headers: [],
      fetchedAt: 1,
    });
});

async function ask(path: string): Promise<Response> {
  const query = new URLSearchParams({ url: SEED + path, format: "browsable" });
  const headers = { authorization: "Bearer reading-token" };
  return app.request(`/api/crawls/${id}/page?${query}`, { headers }, env, createExecutionContext());
}

const TEXTS: [string, string, string][] = [
  [
    "",
    "a.test/index.html",
    `\ufeff<!doctype html><meta charset=windows-1252><a href="b~x=1&amp;y=2.html#z">Straße</a><a href="b~x=1&amp;y=2.html" target=_blank>old</a>
<a href="https://a.test/gone">gone</a><a href="https://c.test/">elsewhere</a><a href=#top>top</a><img src="dot~~.png" srcset="dot~~.png 1x, img/Dot#.png 2x">
<link rel=stylesheet href="s~v=1.css"><p style="background: url(&quot;dot~~.png&quot;)">`,
  ],
  [
    "b?x=1&y=2",
    "a.test/b~x=1&y=2.html",
    '<a href="index.html">home</a><meta http-equiv=refresh content="3; url=b~x=1&amp;y=2.html">',
  ],
  [
    "s.css?v=1",
    "a.test/s~v=1.css",
    `\ufeff@charset "windows-1252"; @import "more~~.css"; a { b: url("dot~~.png") } /* ß */`,
  ],
  ["more", "a.test/more~~.css", 'a { b: url("s~v=1.css") }'],
  ["notes", "a.test/notes~~.txt", "<a href=/>"],
];

describe("a file", () => {
  test.each(TEXTS)("%j has links to files, and keeps its text", async (path, file, text) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get("x-file-path")]).toEqual([200, file]);
    expect([answer.headers.get("x-file-links"), answer.headers.get("content-type")]).toEqual([
      "rewritten",
      "application/octet-stream",
    ]);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    const body = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(await answer.arrayBuffer());
    expect(body.replace(/~~[0-9a-z]{14}/g, "#")).toBe(text);
  });

  test("of another type keeps its bytes", async () => {
    const answer = await ask("dot");
    expect(answer.headers.get("x-file-path")).toBe("a.test/dot~~.png");
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(latin1("\x89PNG\xff"));
  });

  test("that the parser cannot rewrite keeps its bytes, and the answer says so", async () => {
    const answer = await ask("ambiguous");
    expect([answer.status, answer.headers.get("x-file-path")]).toEqual([200, "a.test/ambiguous~.html"]);
    expect(answer.headers.get("x-file-links")).toBe("as-received");
    expect((await answer.text()).startsWith("<a href=dot><select>")).toBe(true);
  });

  test.each(["old", "gone", "unknown"])("%s is not there: no page is stored", async (path) => {
    expect((await ask(path)).status).toBe(404);
  });
});

import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { bomb, HOSTILE_DOCUMENTS } from "../documents/hostile-documents.ts";
import { join, latin1 } from "../samples/media/long-files.ts";
import { apeFooter, CLAIMS, LYING_FILES } from "../samples/media/lying-files.ts";
import { COSTLY_PAGES } from "../sites/costly-pages.ts";
import { HTML } from "../sites/handmade-site.ts";
import { HOSTILE_ANSWERS } from "../sites/hostile-answers.ts";
import { HOSTILE_PAGES } from "../sites/hostile-pages.ts";
import { HOSTILE_SCRIPTS } from "../sites/hostile-scripts.ts";
import { BOMBS, bombOfObjects, COSTLY_PDFS, slowPdf } from "../unit/media/pdf/costly-pdfs.ts";
import { makePdf, textAt } from "../unit/media/pdf/make-pdf.ts";

/**
 * All hostile material of the tests, as answers of one site by path. A new kind of material is one more function here.
 */

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
export type Answers = Map<string, Answer>;

const PAGE_BYTES = 9_000_000;
const BOMB_BYTES = 600_000_000;
/** Each takes the reader's whole time, or half of it where nothing else runs. */
const SLOW_PDFS = 5;

const typed = (type: string, write: () => string | Uint8Array) => (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(200, { "content-type": type }).end(write());

/** `name`: words, which become a path below this folder. */
const pathOf = (folder: string, name: string, at: number) =>
  `/${folder}/${at}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;

function table<T>(
  folder: string,
  cases: readonly T[],
  nameOf: (one: T) => string,
  answer: (one: T) => Answer,
): Answers {
  return new Map(cases.map((one, at) => [pathOf(folder, nameOf(one), at), answer(one)]));
}
/** Answers a request for a range as if the file had so many bytes. */
function claiming(type: string, bytes: Uint8Array, claimed: number): Answer {
  return ({ headers: { range } }, response) => {
    const [, from = "0", to = "65535"] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    const start = Number(from);
    const part = bytes.subarray(start, Number(to) + 1);
    const last = start + Math.max(part.byteLength, 1) - 1;
    const headers = { "content-type": type, "content-range": `bytes ${start}-${last}/${claimed}` };
    response.writeHead(206, headers).end(part);
  };
}

const pages = (): Answers =>
  new Map([
    ...Object.entries(HOSTILE_PAGES).map(([name, { contentType, body }]): [string, Answer] => [
      `/${name}`,
      typed(contentType ?? HTML["content-type"], body),
    ]),
    // Some of these redirect to their own names.
    ...Object.entries(HOSTILE_ANSWERS).map(([name, { answer }]): [string, Answer] => [
      `/${name}`,
      (_, response) => answer(response),
    ]),
    ...table(
      "costly",
      COSTLY_PAGES,
      ([name]) => name,
      ([, write]) => typed(HTML["content-type"], write),
    ),
  ]);

const documents = (): Answers => {
  const pdf = (make: () => Uint8Array) => typed("application/pdf", make);
  const slow = slowPdf();
  const bombed = ([, content, filter]: (typeof BOMBS)[number]) =>
    pdf(() => makePdf({ pages: [{ content: textAt(50, 700, "Text") }, { content, filter }] }));
  return new Map([
    ...table(
      "documents",
      HOSTILE_DOCUMENTS,
      ({ name, extension }) => `${name} ${extension}`,
      ({ bytes }) => typed("application/octet-stream", () => bytes),
    ),
    ...table(
      "pdf",
      COSTLY_PDFS,
      ([name]) => name,
      ([, make]) => pdf(make),
    ),
    ...table("bombs", BOMBS, ([name]) => name, bombed),
    ...Array.from({ length: SLOW_PDFS }, (_, at): [string, Answer] => [`/slow/${at}.pdf`, pdf(() => slow)]),
    ["/bombs/objects.pdf", pdf(bombOfObjects)],
    ["/bombs/word.docx", typed("application/octet-stream", () => bomb(90))],
  ]);
};

const COMMENTS = latin1(`${"<!---->".repeat(80)}x`);
const AUDIO_END = join(latin1("MAC "), new Uint8Array(64_000), apeFooter(2_900_000_000));

const media = (): Answers =>
  new Map([
    ...table(
      "media",
      LYING_FILES,
      ([name]) => name,
      ([name, bytes, size]) =>
        claiming(name.includes("SVG") ? "image/svg+xml" : "video/mp4", bytes, size ?? bytes.byteLength),
    ),
    ...table(
      "claims",
      CLAIMS,
      ([name]) => name,
      ([, type, bytes]) => claiming(type, bytes, 3_000_000_000),
    ),
    ["/media/comments.svg", typed("image/svg+xml", () => COMMENTS)],
    ["/media/end.ape", claiming("audio/ape", AUDIO_END, 3_000_000_000)],
  ]);

const jsonFeed = (unit: string) =>
  `{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[${unit.repeat(PAGE_BYTES / unit.length)}{}]}`;

/** Texts that a search, a parser of data or a decoder pays for. */
const texts = (): Answers => {
  const repeated = (type: string, unit: string, bytes = PAGE_BYTES) =>
    typed(type, () => unit.repeat(Math.floor(bytes / unit.length)));
  const bombed = Buffer.concat([Buffer.from("<title>shown</title>"), Buffer.alloc(BOMB_BYTES, " ")]);
  // They are made now: compressing them takes seconds, in which nothing else is served or measured.
  const coded = (coding: string, encode: (body: Buffer) => Buffer): Answer => {
    const body = encode(bombed);
    return (_, response) => void response.writeHead(200, { ...HTML, "content-encoding": coding }).end(body);
  };
  return new Map<string, Answer>([
    ["/data/arrays.json", repeated("application/json", "[")],
    ["/data/objects.json", repeated("application/json", '{"a":')],
    ["/data/elements.xml", repeated("application/xml", "<a>")],
    ["/data/feed.rss", repeated("application/rss+xml", "<rss><channel><item>")],
    ["/data/cells.csv", repeated("text/csv", ",")],
    ["/data/rows.csv", repeated("text/csv", "\n")],
    ["/data/quotes.json", repeated("application/json", '\\"')],
    ["/data/entities.xml", repeated("application/xml", "&amp;")],
    ["/data/lines.txt", repeated("text/plain", "\n")],
    ["/data/marks.txt", repeated("text/plain", "<")],
    ["/data/brackets.md", repeated("text/markdown", "[")],
    ["/data/links.md", repeated("text/markdown", "[a](b) ")],
    ["/data/arrays-in-feed", typed("application/feed+json", () => jsonFeed("[],"))],
    ["/data/entries-of-feed", typed("application/feed+json", () => jsonFeed("{},"))],
    ["/data/elements.html", repeated(HTML["content-type"], "<a>")],
    ["/data/breaks.html", repeated(HTML["content-type"], "<br>")],
    ["/data/attributes.html", repeated(HTML["content-type"], "<p a b c d e f g h>")],
    ["/data/links.html", repeated(HTML["content-type"], "<a href=x>")],
    ["/data/ld.html", repeated(HTML["content-type"], "<script type=application/ld+json>[[],[]]</script>")],
    ["/data/picture.svg", repeated("image/svg+xml", "<svg>")],
    ["/text/x.html", typed(HTML["content-type"], () => `<title>x</title><p>${"x ".repeat(50_000)}`)],
    ["/text/log.txt", repeated("text/plain", "the error of the log is the error\n", 1_000_000)],
    ["/text/words.html", typed(HTML["content-type"], () => `<title>the</title><p>${"the word ".repeat(80_000)}`)],
    ["/bombs/gzip", coded("gzip", gzipSync)],
    [
      "/bombs/brotli",
      coded("br", (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })),
    ],
    ["/bombs/zstd", coded("zstd", zstdCompressSync)],
  ]);
};

/** Pages that are shells, so that a browser draws them. */
const scripts = (): Answers =>
  new Map(
    Object.entries(HOSTILE_SCRIPTS).map(([name, { body }]): [string, Answer] => [
      `/scripts/${name}`,
      typed(HTML["content-type"], () => body),
    ]),
  );

export function hostileAnswers(): Answers {
  return new Map([...pages(), ...documents(), ...media(), ...texts(), ...scripts()]);
}

/** Ways to another address on this machine, and to a name for it, which nobody has named as a seed. */
export function canaryAnswers(canaries: readonly string[]): Answers {
  const ways: [string, (canary: string) => Answer][] = [
    ["link", (canary) => typed(HTML["content-type"], () => `<title>link</title><a href="${canary}/link">a</a>`)],
    ["redirect", (canary) => (_, response) => void response.writeHead(302, { location: `${canary}/redirect` }).end()],
    [
      "requisites",
      (canary) =>
        typed(
          HTML["content-type"],
          () =>
            `<title>requisites</title><link rel=stylesheet href="${canary}/style"><img src="${canary}/image"><script src="${canary}/script"></script><iframe src="${canary}/frame"></iframe><video src="${canary}/film"></video><link rel=preconnect href="${canary}"><link rel=alternate type="application/rss+xml" href="${canary}/feed">`,
        ),
    ],
    [
      "scripts",
      (canary) =>
        typed(
          HTML["content-type"],
          () => `<title>scripts</title><div id=root></div><script>
for (const way of ["fetch", "again"]) fetch("${canary}/" + way, { mode: "no-cors" }).catch(() => {});
new Image().src = "${canary}/drawn"; navigator.sendBeacon("${canary}/beacon");
try { new WebSocket("${canary.replace("http", "ws")}/socket"); new EventSource("${canary}/events"); } catch {}
try { new Worker(URL.createObjectURL(new Blob(["fetch('${canary}/worker')"]))); } catch {}
const form = document.createElement("form"); form.action = "${canary}/form"; document.body.append(form);
setTimeout(() => { document.getElementById("root").textContent = "drawn ".repeat(50); open("${canary}/window"); }, 50);
</script>`,
        ),
    ],
    [
      "refresh",
      (canary) => typed(HTML["content-type"], () => `<meta http-equiv=refresh content="0;url=${canary}/refresh">`),
    ],
  ];
  return new Map(
    canaries.flatMap((canary, at) => ways.map(([name, way]): [string, Answer] => [`/ways/${name}-${at}`, way(canary)])),
  );
}

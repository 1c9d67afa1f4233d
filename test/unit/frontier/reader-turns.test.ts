import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CrawlHost,
  decideNext,
  type Line,
  orderLines,
  placesBehind,
  type Turn,
} from "../../../src/frontier/documents/reader-turns.ts";

const line = (crawl: string, host: string, deaths = 0): Line => ({ crawl, host, url: `https://${host}/d`, deaths });
const order = (lines: Line[], turns: Record<string, Turn> = {}, hangs: CrawlHost[] = [], read: CrawlHost[] = []) =>
  orderLines({
    ...{ lines, turns: new Map(Object.entries(turns)), hangs },
    readings: read.map((host) => ({ ...host, isBehind: false })),
  }).map(
    ({ crawl, host, deaths, isBehind }) => `${crawl} ${host}${deaths > 0 ? " again" : ""}${isBehind ? " behind" : ""}`,
  );

describe("whose turn it is", () => {
  test.each<[string, string[], Line[], Record<string, Turn>, CrawlHost[], CrawlHost[]?]>([
    ["nobody's", [], [], {}, []],
    [
      "the crawl's that was served longest ago, and first one's that was not served",
      ["new a", "old a", "late a"],
      [line("late", "a"), line("old", "a"), line("new", "a")],
      { late: { at: 20, host: "a" }, old: { at: 10, host: "a" } },
      [],
    ],
    [
      "the next host's, and after the last one the first one's",
      ["x c", "x d", "x a", "x b"],
      [line("x", "a"), line("x", "b"), line("x", "c"), line("x", "d")],
      { x: { at: 1, host: "b" } },
      [],
    ],
    [
      "first those of hosts that are not being read",
      ["x b", "y c", "x a", "y a"],
      [line("x", "a"), line("x", "b"), line("y", "a"), line("y", "c")],
      { y: { at: 5, host: "c" } },
      [],
      [{ crawl: "x", host: "a" }],
    ],
    [
      "first those of hosts that have not hung the reader, whatever crawl it was in",
      ["x b", "y c", "x a behind", "y a behind"],
      [line("x", "a"), line("x", "b"), line("y", "a"), line("y", "c")],
      { y: { at: 5, host: "c" } },
      [{ crawl: "x", host: "a" }],
    ],
    [
      "another crawl's before those of a crawl of which two hosts have hung it",
      ["y z", "x c behind", "x a behind", "x b behind"],
      [line("x", "a"), line("x", "b"), line("x", "c"), line("y", "z")],
      { y: { at: 99, host: "z" } },
      [
        { crawl: "x", host: "a" },
        { crawl: "x", host: "b" },
      ],
    ],
    [
      "last of all what ended the reader itself",
      ["x b", "y a behind", "x a again behind"],
      [line("x", "a", 1), line("x", "b"), line("y", "a")],
      { y: { at: 99, host: "a" } },
      [{ crawl: "x", host: "a" }],
    ],
    [
      "its host's when ten minutes have passed, after what else the host has",
      ["x a", "x a again", "x b"],
      [line("x", "a", 1), line("x", "b"), line("x", "a")],
      {},
      [],
    ],
  ])("%s", (_, expected, lines, turns, hangs, read) => expect(order(lines, turns, hangs, read)).toEqual(expected));
});

test("at most half of the readers read what goes behind, and a single one does", () => {
  expect([1, 2, 3, 4].map(placesBehind)).toEqual([1, 1, 1, 2]);
});

/** Documents of hosts of crawls, of which some hang. Time passes in seconds; a hang takes a minute. */
interface Model {
  readers: number;
  crawls: { hangs: boolean; documents: number }[][];
}

const HANG_S = 60;
const READ_S = 1;
const BEHIND_S = 600;

/** Reads all documents by the rule. Returns when each honest host had its first and its last one read. */
function readAll({ readers, crawls }: Model): { honest: { host: string; first: number; last: number }[]; end: number } {
  const hosts = crawls.flatMap((own, c) =>
    own.map(({ hangs, documents }, h) => ({
      crawl: `c${c}`,
      host: `c${c}-h${h}`,
      hangs,
      left: documents,
      first: 0,
      last: 0,
    })),
  );
  const turns = new Map<string, Turn>();
  const hangs: (CrawlHost & { at: number })[] = [];
  const busy: { until: number; of: (typeof hosts)[number]; isBehind: boolean }[] = [];
  let now = 0;
  for (;;) {
    for (const reading of busy.filter(({ until }) => until <= now)) {
      busy.splice(busy.indexOf(reading), 1);
      if (reading.of.hangs) hangs.push({ crawl: reading.of.crawl, host: reading.of.host, at: now });
      reading.of.first ||= now;
      reading.of.last = now;
    }
    const lines = hosts.filter(({ left }) => left > 0).map(({ crawl, host }) => line(crawl, host));
    const recent = [
      ...new Map(hangs.filter(({ at }) => at > now - BEHIND_S).map((hang) => [hang.host, hang])).values(),
    ];
    const readings = busy.map(({ of: { crawl, host }, isBehind }) => ({ crawl, host, isBehind }));
    const next = busy.length < readers ? decideNext({ lines, turns, hangs: recent, readings }, readers) : null;
    if (next !== null) {
      const of = hosts.find(({ host }) => host === next.host) as (typeof hosts)[number];
      of.left -= 1;
      // Turns differ in time.
      turns.set(next.crawl, { at: now + turns.size / 1e6, host: next.host });
      busy.push({ until: now + (of.hangs ? HANG_S : READ_S), of, isBehind: next.isBehind });
      continue;
    }
    if (busy.length === 0) return { honest: hosts.filter(({ hangs, first }) => !hangs && first > 0), end: now };
    now = Math.min(...busy.map(({ until }) => until));
  }
}

const MODEL = fc.record({
  readers: fc.integer({ min: 1, max: 4 }),
  crawls: fc.array(
    fc.array(fc.record({ hangs: fc.boolean(), documents: fc.integer({ min: 1, max: 12 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

test("an honest document waits for at most a hung minute of each host that hangs, every ten minutes", () => {
  fc.assert(
    fc.property(MODEL, (model) => {
      const { honest } = readAll(model);
      const hung = model.crawls.flat().filter(({ hangs }) => hangs).length;
      const works =
        model.crawls.flat().reduce((sum, { hangs, documents }) => sum + (hangs ? 0 : documents), 0) * READ_S;
      for (const { last } of honest) {
        // Each hangs it once in each time of ten minutes that begins until then, and a single reader finishes one more.
        const windows = 1 + Math.floor(last / BEHIND_S);
        expect(last).toBeLessThanOrEqual(works + (hung * windows + 1) * HANG_S);
      }
    }),
  );
});

test("everything is read in the end, however many hang", () => {
  fc.assert(
    fc.property(MODEL, (model) => {
      const { end } = readAll(model);
      const all = model.crawls
        .flat()
        .reduce((sum, { hangs, documents }) => sum + documents * (hangs ? HANG_S : READ_S), 0);
      expect(end).toBeLessThanOrEqual(all);
    }),
  );
});

test("ten documents that hang on one host cost two other hosts and another crawl one minute", () => {
  const one = [
    { hangs: true, documents: 10 },
    { hangs: false, documents: 10 },
    { hangs: false, documents: 5 },
  ];
  const crawls = [one, [{ hangs: false, documents: 5 }]];
  const last = (readers: number) => Math.max(...readAll({ readers, crawls }).honest.map(({ last }) => last));
  expect(last(1)).toBe(HANG_S + 20);
  // The second reader goes on meanwhile.
  expect(last(2)).toBe(20);
});

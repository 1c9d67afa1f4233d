import LinkHeader from "http-link-header";
import { describe, expect, test } from "vitest";
import {
  addressesOf,
  jsonTimeMap,
  linkTimeMap,
  type MementoAddresses,
  mementoHeaders,
} from "../../../src/api/changes/memento-links.ts";
import { type Memento, type MementoChoice, mementoAt } from "../../../src/crawl/watch/memento.ts";

/** The examples of RFC 7089, sections 4.2.1 and 5, with our addresses, read by a parser of RFC 8288. */

const URL_R = "http://a.example.org/";
const PLACE = { crawl: "c", key: null, timeMap: null, digits: null };
const ADDRESSES = addressesOf("http://arxiv.example.net", PLACE, URL_R);
const at = (date: string): Memento => ({
  time: Date.parse(date),
  httpStatus: 200,
  kind: "page",
  redirectTo: null,
  packed: null,
});
const DATES = [
  "Tue, 20 Jun 2000 18:02:59 GMT",
  "Tue, 11 Sep 2001 20:30:51 GMT",
  "Tue, 11 Sep 2001 20:36:10 GMT",
  "Tue, 11 Sep 2001 20:47:33 GMT",
  "Tue, 27 Oct 2009 20:49:54 GMT",
] as const;
const MEMENTOS = DATES.map(at);

function choiceAt(date: string, mementos = MEMENTOS): MementoChoice {
  const choice = mementoAt(mementos, Date.parse(date));
  if (choice === null) throw new Error("no memento");
  return choice;
}

/** Each link as [address, relations, datetime]. */
function linksOf(value: string): [address: string, relations: string, datetime: string | undefined][] {
  const byAddress = new Map<string, [string[], string | undefined]>();
  for (const { uri, rel, datetime } of LinkHeader.parse(value).refs) {
    const [relations] = byAddress.get(uri) ?? [[]];
    byAddress.set(uri, [[...relations, rel], datetime]);
  }
  return [...byAddress].map(([uri, [relations, datetime]]) => [uri, relations.join(" "), datetime]);
}

const memento = (digits: string) => `http://arxiv.example.net/replay/c/${digits}/${URL_R}`;
const FIXED = [
  [URL_R, "original", undefined],
  [`http://arxiv.example.net/replay/c/${URL_R}`, "timegate", undefined],
  [`http://arxiv.example.net/replay/c/timemap/link/${URL_R}`, "timemap", undefined],
];

describe("the headers of a memento", () => {
  test("name the original, the TimeGate, the TimeMap, and the mementos around it with their times", () => {
    const headers = mementoHeaders(ADDRESSES, choiceAt(DATES[2]));
    expect(headers["memento-datetime"]).toBe("Tue, 11 Sep 2001 20:36:10 GMT");
    expect(linksOf(headers.link)).toEqual([
      ...FIXED,
      [memento("20000620180259"), "first memento", DATES[0]],
      [memento("20010911203051"), "prev memento", DATES[1]],
      [memento("20010911203610"), "memento", DATES[2]],
      [memento("20010911204733"), "next memento", DATES[3]],
      [memento("20091027204954"), "last memento", DATES[4]],
    ]);
    expect(LinkHeader.parse(headers.link).rel("timemap")[0]).toMatchObject({ type: "application/link-format" });
  });

  test("give each memento once, with all its relations", () => {
    expect(linksOf(mementoHeaders(ADDRESSES, choiceAt(DATES[1])).link).slice(3)).toEqual([
      [memento("20000620180259"), "first prev memento", DATES[0]],
      [memento("20010911203051"), "memento", DATES[1]],
      [memento("20010911203610"), "next memento", DATES[2]],
      [memento("20091027204954"), "last memento", DATES[4]],
    ]);
    const only = choiceAt(DATES[4], MEMENTOS.slice(4));
    expect(linksOf(mementoHeaders(ADDRESSES, only).link).slice(3)).toEqual([
      [memento("20091027204954"), "first last memento", DATES[4]],
    ]);
  });

  test("have addresses with the key of the request", () => {
    const keyed = addressesOf("https://o.test", { ...PLACE, key: "1.a", digits: "2001" }, URL_R);
    const [, ...others] = linksOf(mementoHeaders(keyed, choiceAt(DATES[0])).link);
    for (const [address] of others) expect(address).toMatch(/^https:\/\/o\.test\/replay\/c\/1\.a\//);
  });

  test("keep only the first three links where a URL is very long", () => {
    const long = addressesOf("http://arxiv.example.net", PLACE, URL_R + "x".repeat(2_000));
    const { link } = mementoHeaders(long, choiceAt(DATES[2]));
    expect(linksOf(link).map(([, relations]) => relations)).toEqual(["original", "timegate", "timemap"]);
    expect(link.length).toBeLessThan(8_000);
  });

  test("carry a URL with commas, semicolons and quotes as it is", () => {
    const odd = "http://a.example.org/a,b;c='d'?e=%22,&f=(g)";
    const { link } = mementoHeaders(addressesOf("http://arxiv.example.net", PLACE, odd), choiceAt(DATES[2]));
    expect(LinkHeader.parse(link).rel("original")[0]?.uri).toBe(odd);
    expect(linksOf(link)).toHaveLength(8);
  });
});

describe("a TimeMap", () => {
  const parsed = (addresses: MementoAddresses, page: Parameters<typeof linkTimeMap>[1]) =>
    LinkHeader.parse(linkTimeMap(addresses, page));

  test("lists all mementos in order, and says which are the first and the last", () => {
    const page = { digits: null, mementos: MEMENTOS, next: null };
    const text = linkTimeMap(ADDRESSES, page);
    expect(linksOf(text)).toEqual([
      [URL_R, "original", undefined],
      [`http://arxiv.example.net/replay/c/timemap/link/${URL_R}`, "self", undefined],
      [`http://arxiv.example.net/replay/c/${URL_R}`, "timegate", undefined],
      [memento("20000620180259"), "first memento", DATES[0]],
      [memento("20010911203051"), "memento", DATES[1]],
      [memento("20010911203610"), "memento", DATES[2]],
      [memento("20010911204733"), "memento", DATES[3]],
      [memento("20091027204954"), "last memento", DATES[4]],
    ]);
    expect(parsed(ADDRESSES, page).rel("self")[0]).toMatchObject({
      type: "application/link-format",
      from: DATES[0],
      until: DATES[4],
    });
    // A link for each line, as in the examples.
    expect(text.trimEnd().split("\n")).toHaveLength(8);
  });

  test("in parts names the next part, with its first time", () => {
    const [next = null] = MEMENTOS.slice(2);
    const first = parsed(ADDRESSES, { digits: null, mementos: MEMENTOS.slice(0, 2), next });
    expect(first.rel("timemap")).toMatchObject([
      {
        uri: `http://arxiv.example.net/replay/c/timemap/link/20010911203610/${URL_R}`,
        type: "application/link-format",
        from: DATES[2],
      },
    ]);
    expect(first.rel("last")).toEqual([]);
    expect(first.rel("first")).toMatchObject([{ uri: memento("20000620180259") }]);
    const second = parsed(ADDRESSES, { digits: "20010911203610", mementos: MEMENTOS.slice(2), next: null });
    expect([second.rel("first"), second.rel("timemap")]).toEqual([[], []]);
    expect(second.rel("last")).toMatchObject([{ uri: memento("20091027204954") }]);
    expect(second.rel("self")).toMatchObject([
      { uri: `http://arxiv.example.net/replay/c/timemap/link/20010911203610/${URL_R}`, from: DATES[2] },
    ]);
  });

  test("as JSON has the same mementos", () => {
    const [next = null] = MEMENTOS.slice(2);
    const list = [
      { datetime: "2000-06-20T18:02:59.000Z", uri: memento("20000620180259") },
      { datetime: "2001-09-11T20:30:51.000Z", uri: memento("20010911203051") },
    ];
    expect(jsonTimeMap(ADDRESSES, { digits: null, mementos: MEMENTOS.slice(0, 2), next })).toEqual({
      original_uri: URL_R,
      timegate_uri: `http://arxiv.example.net/replay/c/${URL_R}`,
      timemap_uri: {
        link_format: `http://arxiv.example.net/replay/c/timemap/link/${URL_R}`,
        json_format: `http://arxiv.example.net/replay/c/timemap/json/${URL_R}`,
      },
      mementos: { first: list[0], list },
      next_uri: `http://arxiv.example.net/replay/c/timemap/json/20010911203610/${URL_R}`,
    });
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encode } from "../sites/encode.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, scratch } from "./cli.ts";

/**
 * Pages in nine encodings, each of which says so in its header, in its meta, in a byte order mark, in XML, or nowhere.
 */

const CHINESE =
  "网络爬虫按照一定的规则自动抓取万维网的信息。它从一个或若干个初始网页开始，在抓取网页的过程中不断从当前页面上抽取新的链接放入队列，直到满足系统的停止条件。";
const TRADITIONAL =
  "網路爬蟲按照一定的規則自動抓取全球資訊網的資訊。它從一個或若干個初始網頁開始，在抓取網頁的過程中不斷從目前頁面上抽取新的連結放入佇列，直到滿足系統的停止條件。";
const JAPANESE =
  "ウェブクローラは、ウェブ上の文書や画像などを周期的に取得し、自動的にデータベース化するプログラムである。主に検索エンジンのために使われている。";
const KOREAN =
  "웹 크롤러는 조직적이고 자동화된 방법으로 월드 와이드 웹을 탐색하는 컴퓨터 프로그램이다. 이 프로그램은 방문한 모든 페이지의 복사본을 만드는 데 사용된다.";
const RUSSIAN =
  "Поисковый робот предназначен для перебора страниц Интернета с целью занесения информации о них в базу данных поисковой системы. Он похож на обычный браузер.";

/** UTF-8 and UTF-16 are known by their form, the others by the statistics of their text alone. */
const LANGUAGES: [label: string, text: string][] = [
  ["gbk", CHINESE],
  ["gb18030", CHINESE],
  ["big5", TRADITIONAL],
  ["shift_jis", JAPANESE],
  ["euc-kr", KOREAN],
  ["windows-1251", RUSSIAN],
  ["utf-16le", RUSSIAN],
  ["utf-16be", RUSSIAN],
  ["utf-8", CHINESE],
];
type Place = "header" | "meta" | "mark" | "xml" | "nowhere";

/** A declaration inside UTF-16 cannot be read as one, and nothing but Unicode has a mark. */
function placesOf(label: string): Place[] {
  if (label.startsWith("utf-16")) return ["header", "mark", "nowhere"];
  return ["header", "meta", ...(label === "utf-8" ? ["mark" as const] : []), "xml", "nowhere"];
}

interface Case {
  path: string;
  title: string;
  /** The link's own word, which its URL spells in UTF-8. */
  link: string;
  bytes: Uint8Array;
  contentType: string;
}

const cases: Case[] = LANGUAGES.flatMap(([label, text]) =>
  placesOf(label).map((place) => {
    const path = `/${label}/${place}`;
    const title = text.slice(0, 12);
    const link = `${path}/${text.slice(2, 5)}`;
    const start = {
      header: "",
      meta: `<meta charset="${label}">`,
      mark: "\ufeff",
      // A meta says nothing there.
      xml: `<?xml version="1.0" encoding="${label}"?><meta charset="koi8-r"/>`,
      nowhere: "",
    }[place];
    const html = `${start}<!doctype html><title>${title}</title><p>${text}</p><p><a href="${link}">x</a></p>`;
    const type = place === "xml" ? "application/xhtml+xml" : "text/html";
    // A mark wins over a header that says otherwise.
    const charset = place === "header" ? `; charset=${label}` : place === "mark" ? "; charset=big5" : "";
    return { path, title, link, bytes: encode(html, label), contentType: type + charset };
  }),
);

const dir = scratch();
let site: Site;
let result: Awaited<ReturnType<typeof crawl>>;

beforeAll(async () => {
  site = await startSite(({ url = "/" }, response) => {
    const found = cases.find(({ path }) => path === url);
    if (found !== undefined)
      return void response.writeHead(200, { "content-type": found.contentType }).end(found.bytes);
    const links = url === "/" ? cases.map(({ path }) => `<a href="${path}">x</a>`).join("") : "";
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>${url}</title>${links}`);
  });
  result = await crawl(dir.path, `${site.origin}/`, "--delay", "0", "--concurrency", "8");
});

afterAll(async () => {
  await site.close();
  dir.remove();
});

test.each(cases)("$path", ({ path, title, link, bytes }) => {
  const record = result.byUrl.get(site.origin + path);
  expect(record).toMatchObject({ status: "completed", title });
  expect(new Uint8Array(readFileSync(join(dir.path, "out", record?.file ?? "")))).toEqual(bytes);
  expect(result.byUrl.get(new URL(link, site.origin).href)?.via).toBe(site.origin + path);
});

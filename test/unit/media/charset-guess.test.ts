import { analyse } from "chardet";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { decodeHtml } from "../../../src/media/characters/charset.ts";
import { guessEncoding } from "../../../src/media/characters/charset-guess.ts";
import { encode } from "../../sites/encode.ts";

/** The detector, as it is asked. */
const detect = vi.fn(analyse);
const guess = (bytes: Uint8Array) => guessEncoding(bytes, detect);
beforeEach(() => void detect.mockClear());

const CHINESE =
  "网络爬虫按照一定的规则自动抓取万维网的信息。它从一个或若干个初始网页开始，不断从当前页面上抽取新的链接。";
const TAIWANESE =
  "網路爬蟲按照一定的規則自動抓取全球資訊網的資訊。它從一個或若干個初始網頁開始，不斷從目前頁面上抽取新的連結。";
const JAPANESE =
  "ウェブクローラは、ウェブ上の文書や画像などを周期的に取得し、自動的にデータベース化するプログラムである。主に検索エンジンのために使われている。";
const KOREAN = "웹 크롤러는 조직적이고 자동화된 방법으로 월드 와이드 웹을 탐색하는 컴퓨터 프로그램이다.";
const RUSSIAN =
  "Поисковый робот предназначен для перебора страниц Интернета с целью занесения информации о них в базу.";
const GREEK = "ένας ανιχνευτής ιστού είναι ένα πρόγραμμα που περιηγείται στον παγκόσμιο ιστό με μεθοδικό τρόπο.";
const ARABIC = "زاحف الشبكة هو برنامج يتصفح الشبكة العالمية بطريقة منهجية وآلية من اجل فهرسة صفحات المواقع";
const HEBREW = "זחלן רשת הוא תוכנה הסורקת את הרשת באופן שיטתי ואוטומטי, בדרך כלל לצורך יצירת מפתח של דפי האינטרנט.";
const CZECH =
  "Vyhledávací robot prochází webové stránky a sbírá z nich informace pro databázi vyhledávače. Začíná od několika známých adres a pokračuje po odkazech, které na stránkách najde.";
const FRENCH =
  "Un robot d’indexation est généralement conçu pour collecter les ressources, à des fins d’être indexées par un moteur où l’été a passé.";
const GERMAN =
  "Er wird überwiegend für Suchmaschinen genutzt, außerdem für ähnliche Zwecke wie die Prüfung von Übersetzungen für Händler.";

const page = (text: string) => `<!doctype html><title>${text.slice(0, 9)}</title><p class="lead">${text}</p>`;

/** Not Thai, which the detector takes for Chinese, Japanese or Korean when there is little of it. */
describe("a page of which nothing says what it is", () => {
  test.each([
    ["gbk", CHINESE, "gb18030"],
    ["big5", TAIWANESE, "big5"],
    ["shift_jis", JAPANESE, "shift_jis"],
    ["euc-jp", JAPANESE, "euc-jp"],
    ["euc-kr", KOREAN, "euc-kr"],
    ["windows-1251", RUSSIAN, "windows-1251"],
    ["koi8-r", RUSSIAN, "koi8-r"],
    ["iso-8859-5", RUSSIAN, "iso-8859-5"],
    ["iso-8859-7", GREEK, "iso-8859-7"],
    ["windows-1253", GREEK, "iso-8859-7"],
    ["windows-1255", HEBREW, "iso-8859-8"],
    ["windows-1256", ARABIC, "windows-1256"],
    ["iso-8859-2", CZECH, "iso-8859-2"],
    ["windows-1252", FRENCH, "windows-1252"],
    ["windows-1252", GERMAN, "windows-1252"],
    ["utf-16le", CZECH, "utf-16le"],
    ["utf-16be", CZECH, "utf-16be"],
  ])("%s: %s is read as %s", (label, text, encoding) => {
    const html = page(text);
    expect(decodeHtml(encode(html, label), null)).toEqual({ text: html, encoding });
  });

  test.each([
    ["a word", "windows-1251", page("Мир")],
    ["markup alone", "windows-1251", `<p title="${RUSSIAN}">`.repeat(20)],
    ["text that stands far behind", "windows-1251", `${"<br>".repeat(100_000)}${RUSSIAN}`],
  ])("too little to tell: %s", (_, label, html) =>
    expect(decodeHtml(encode(html, label), null).encoding).toBe("windows-1252"),
  );

  test("of a large page a little is looked at", () => {
    expect(decodeHtml(encode(page(RUSSIAN.repeat(10_000)), "windows-1251"), null, guess).encoding).toBe("windows-1251");
    expect(detect.mock.calls.map(([sample]) => sample.length)).toEqual([8_192]);
  });
});

test.each([
  ["the header", encode(page(RUSSIAN), "windows-1251"), "text/html; charset=windows-1251"],
  ["a meta", encode(`<meta charset=windows-1251>${page(RUSSIAN)}`, "windows-1251"), null],
  ["a late meta", encode(`${" ".repeat(2_000)}<meta charset=windows-1251>${RUSSIAN}`, "windows-1251"), null],
  ["a byte order mark", encode(`\ufeff${page(RUSSIAN)}`, "utf-16be"), null],
  ["the NULs of UTF-16", encode(page(CZECH), "utf-16le"), null],
  ["being UTF-8", new TextEncoder().encode(page(RUSSIAN)), null],
  ["a header that is wrong", new TextEncoder().encode(page(RUSSIAN)), "text/html; charset=big5"],
])("nothing is guessed after %s", (_, bytes, contentType) => {
  decodeHtml(bytes, contentType, guess);
  expect(detect).not.toHaveBeenCalled();
});

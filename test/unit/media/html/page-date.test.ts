import { expect, test } from "vitest";
import { pageDate, urlDate } from "../../../../src/media/html/facts/page-date.ts";
import { cpuMsOf } from "../../cpu-time.ts";

/** The notations of dates. The month of a text that no language knows is no month. */

test.each<[written: string, language: string | null, date: string | null]>([
  ["05.03.2024", "de", "2024-03-05"],
  ["5.3.2024", null, "2024-03-05"],
  ["5. 3. 2024", "cs", "2024-03-05"],
  ["Stand: 05.03.2024, 10:00", "de", "2024-03-05"],
  ["05/03/2024", "fr", "2024-03-05"],
  ["05/03/2024", "en-GB", "2024-03-05"],
  ["05/03/2024", "en-US", "2024-05-03"],
  ["05/03/2024", "en", null],
  ["05/03/2024", null, null],
  ["25/03/2024", null, "2024-03-25"],
  ["03/25/2024", null, "2024-03-25"],
  ["05-03-2024", "nl", "2024-03-05"],
  ["5.3.20245", "de", null],
  ["5. März 2024", "de", "2024-03-05"],
  ["Dienstag, 5. März 2024", null, "2024-03-05"],
  ["Veröffentlicht am 5. Mai 2024 um 10 Uhr", "de", "2024-05-05"],
  ["1er août 2024", "fr", "2024-08-01"],
  ["5 févr. 2024", "fr", "2024-02-05"],
  ["5 de marzo de 2024", "es", "2024-03-05"],
  ["terça-feira, 5 de março de 2024", "pt-BR", "2024-03-05"],
  ["5 marzo 2024", "it", "2024-03-05"],
  ["5 maart 2024", "nl", "2024-03-05"],
  ["5 марта 2024 г.", "ru", "2024-03-05"],
  ["5 marca 2024", "pl", "2024-03-05"],
  ["5. marraskuuta 2024", "fi", "2024-11-05"],
  ["2024. március 5.", "hu", "2024-03-05"],
  ["2024年3月5日", "ja", "2024-03-05"],
  ["2024년 3월 5일", "ko", "2024-03-05"],
  ["2024. 3. 5.", "ko", "2024-03-05"],
  ["Sept 5, 2024", "en", "2024-09-05"],
  ["5 March 2024", "de", "2024-03-05"],
  ["Tue, 05 Mar 2024 10:00:00 GMT", "en", "2024-03-05T10:00:00Z"],
  ["31. Februar 2024", "de", null],
  ["5. Foo 2024", "xx-invalid", null],
  ["five minutes ago", "en", null],
  ["1 2 3 4 5 6 7 8 9", null, null],
])("%s, %s", (written, language, date) => expect(pageDate(written, language)).toBe(date));

test.each([
  ["https://a.test/2024/03/05/spiders", "2024-03-05"],
  ["https://a.test/blog/2024/3/5/spiders.html", "2024-03-05"],
  ["https://a.test/blog/2024-03-05-spiders.html", "2024-03-05"],
  ["https://a.test/2024/03/05/", null],
  ["https://a.test/2024/03/spiders", null],
  ["https://a.test/api/2024-03-05/reference", null],
  ["https://a.test/1234/12/12/x", null],
  ["https://a.test/2024/13/05/x", null],
  ["no URL", null],
])("%s", (url, date) => expect(urlDate(url)).toBe(date));

test("a long text is read in time", () => {
  const ms = cpuMsOf(() => {
    for (const text of ["ä-".repeat(50), `${"a ".repeat(50)}`, "1".repeat(100), "5. ".repeat(40)])
      for (let i = 0; i < 200; i++) pageDate(text, "de");
  });
  expect(ms).toBeLessThan(2_000);
});

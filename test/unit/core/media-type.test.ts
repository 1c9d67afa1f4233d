import { describe, expect, test } from "vitest";
import { essenceOf, soleMediaType } from "../../../src/core/media-type.ts";

/**
 * The cases of https://github.com/web-platform-tests/wpt/blob/master/fetch/content-type/resources/content-types.json,
 * and what servers send.
 */
describe("the media type of a Content-Type header", () => {
  test.each<[header: string | null, essence: string]>([
    [null, ""],
    ["", ""],
    [",", ""],
    ["text/html", "text/html"],
    ["TEXT/HTML;CHARSET=UTF-8", "text/html"],
    ["text/html, text/html", "text/html"],
    [",text/plain", "text/plain"],
    ["text/html,text/plain", "text/plain"],
    ["text/html;charset=gbk,text/plain", "text/plain"],
    ["text/plain;charset=gbk;x=foo,text/plain", "text/plain"],
    ["text/html,*/*", "text/html"],
    ["text/html,*/*;charset=gbk", "text/html"],
    ["text/html,bogus", "text/html"],
    ["text/html,cannot-parse", "text/html"],
    ["text/html,text/", "text/html"],
    ['text/html;x=",text/plain', "text/html"],
    ['text/html;x=",text/plain"', "text/html"],
    ['text/html;x="a\\",text/plain"', "text/html"],
    ['text/html;"\\",\\",text/plain', "text/html"],
    ['text/html;"",text/plain', "text/plain"],
    ["text/html ;charset=utf-8", "text/html"],
    ["text/html charset=utf-8", ""],
    ["text /html", ""],
    ["html", ""],
    ["*/*", ""],
    ["unknown/unknown", ""],
    ["application/unknown", ""],
    ["; charset=utf-8", ""],
    ["image/svg+xml", "image/svg+xml"],
  ])("%j is %j", (header, essence) => expect(essenceOf(header)).toBe(essence));
});

describe("a header as one media type", () => {
  test.each<[header: string | null, sole: string | null]>([
    [null, null],
    ["html", null],
    ["*/*, */*", null],
    ["Text/HTML; Charset=gbk; x=1", "Text/HTML; Charset=gbk; x=1"],
    ["text/html, text/html", "text/html"],
    ["text/html;charset=gbk,text/html", 'text/html; charset="gbk"'],
    ["text/html;charset=gbk,text/html;x=y", 'text/html; charset="gbk"'],
    ["text/html;charset=gbk,text/html;charset=utf-8", 'text/html; charset="utf-8"'],
    ["text/html;charset=gbk,text/plain,text/html", "text/html"],
    ['text/html;x=1;charset="g\\bk" ;charset=utf-8,text/html', 'text/html; charset="gbk"'],
    ["text/html;charset= ;charset=gbk,text/html", 'text/html; charset="gbk"'],
    ["text/html;charset=gbk,bogus", 'text/html; charset="gbk"'],
  ])("%j is %j", (header, sole) => expect(soleMediaType(header)).toBe(sole));

  test("a hostile header takes no more than linear time", () => {
    const header = `text/html;${'x="\\'.repeat(20_000)},${";".repeat(20_000)},${",".repeat(20_000)}`;
    expect(soleMediaType(header)).toBe("text/html");
    const blanks = `x${" ".repeat(200_000)}x`;
    expect(soleMediaType(`${blanks}, text/html;charset=${blanks}, text/plain`) === "text/plain").toBe(true);
  });
});

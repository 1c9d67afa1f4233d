import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLastmod } from "../../../../src/media/sitemap/sitemap-date.ts";

const iso = (written: string) => {
  const ms = parseLastmod(written);
  return ms === null ? null : new Date(ms).toISOString();
};

describe("dates", () => {
  test.each([
    // W3C-DTF, at each of its precisions.
    ["1997", "1997-01-01T00:00:00.000Z"],
    ["1997-07", "1997-07-01T00:00:00.000Z"],
    ["1997-07-16", "1997-07-16T00:00:00.000Z"],
    ["1997-07-16T19:20+01:00", "1997-07-16T18:20:00.000Z"],
    ["1997-07-16T19:20:30+01:00", "1997-07-16T18:20:30.000Z"],
    ["1997-07-16T19:20:30.45+01:00", "1997-07-16T18:20:30.450Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.123Z"],
    ["2024-01-01T00:00:00-05:30", "2024-01-01T05:30:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    // What is met in their place.
    [" \n2024-01-01\t", "2024-01-01T00:00:00.000Z"],
    ["2024-1-5", "2024-01-05T00:00:00.000Z"],
    ["2024-01-01 12:30:00", "2024-01-01T12:30:00.000Z"],
    ["2024-01-01 12:30:00 +0200", "2024-01-01T10:30:00.000Z"],
    ["2024-01-01 12:30:00 UTC", "2024-01-01T12:30:00.000Z"],
    ["2024-01-01t12:30:00,5z", "2024-01-01T12:30:00.500Z"],
    ["2024-01-01T12:30:00", "2024-01-01T12:30:00.000Z"],
    // RFC 822, 1123, 2822.
    ["Wed, 02 Oct 2002 13:00:00 GMT", "2002-10-02T13:00:00.000Z"],
    ["Wed, 02 Oct 2002 15:00:00 +0200", "2002-10-02T13:00:00.000Z"],
    ["Wed, 2 Oct 2002 08:00 EST", "2002-10-02T13:00:00.000Z"],
    ["02 Oct 02 13:00:00 Z", "2002-10-02T13:00:00.000Z"],
    ["02 October 2002", "2002-10-02T00:00:00.000Z"],
    ["Wednesday, 02-Oct-02 13:00:00 GMT", "2002-10-02T13:00:00.000Z"],
    ["Mon, 1 Jan 96 00:00:00 PDT", "1996-01-01T07:00:00.000Z"],
    ["Wed, 02 Oct 2002 13:00:00 CEST", "2002-10-02T13:00:00.000Z"],
    // The years between which a page may have changed.
    ["1990-01-01", "1990-01-01T00:00:00.000Z"],
    ["2100-12-31T23:59:59Z", "2100-12-31T23:59:59.000Z"],
    ["1989-12-31", null],
    ["2101", null],
    ["1990-01-01T00:00:00+01:00", null],
    ["0000-00-00", null],
    ["0001-01-01T00:00:00+00:00", null],
    ["1970-01-01T00:00:00Z", null],
    // Nonsense.
    ["", null],
    ["yesterday", null],
    ["20240101", null],
    ["1704067200", null],
    ["01/02/2024", null],
    ["2024-13-01", null],
    ["2024-00-01", null],
    ["2023-02-29", null],
    ["2024-01-00", null],
    ["2024-01-01T24:00:00Z", null],
    ["2024-01-01T00:60:00Z", null],
    ["2024-01-01T00:00:61Z", null],
    ["2024-01-01T00:00:00+24:00", null],
    ["2024-01-01T00:00:00+00:60", null],
    ["2024-01-01T", null],
    ["2024-01-01 and more", null],
    ["31 Foo 2024 00:00:00 GMT", null],
    ["31 Feb 2024 00:00:00 GMT", null],
    ["2024-01-01T00:00:00Z".padStart(64, "0"), null],
    ["1".repeat(100_000), null],
    [`${" ".repeat(100_000)}2024`, "2024-01-01T00:00:00.000Z"],
  ])("%.60j", (written, expected) => expect(iso(written)).toBe(expected));

  test("a moment reads back from any way to write it", () => {
    const moments = fc.integer({ min: Date.UTC(1990) / 1000, max: Date.UTC(2101) / 1000 - 1 });
    const offsets = fc.integer({ min: -23 * 60, max: 23 * 60 });
    fc.assert(
      fc.property(moments, offsets, (seconds, offset) => {
        const local = new Date((seconds + offset * 60) * 1000);
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map(twoDigits);
        const sign = offset < 0 ? "-" : "+";
        expect(parseLastmod(`${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`)).toBe(seconds * 1000);
        expect(parseLastmod(local.toUTCString().replace("GMT", `${sign}${hours}${minutes}`))).toBe(seconds * 1000);
      }),
    );
  });

  test("any text is a moment of those years, or none", () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^\d{4}(-\d\d){0,2}(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/));
    fc.assert(
      fc.property(text, (written) => {
        const year = new Date(parseLastmod(written) ?? Date.UTC(2000)).getUTCFullYear();
        expect(year).toBeGreaterThanOrEqual(1990);
        expect(year).toBeLessThanOrEqual(2100);
      }),
    );
  });
});

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

import { findDate } from "../facts/page-date.ts";
import { tidy } from "../tree/tidy.ts";
import type { FieldType, FieldValue } from "./field-rule.ts";
import { machineNumber, readNumber } from "./read-number.ts";

/** Turns what is written in one place of a page into a value of the type that a rule asks for. */

export interface PageFacts {
  /** The page's URL after redirects. */
  url: string;
  /** Relative URLs are resolved against it. */
  base: string;
  /** A BCP 47 tag, as the page writes it. */
  language: string | null;
}

export type ReadValue = { value: FieldValue; note: string | null } | { problem: string };

/** Characters of a text, and of one item of a list. */
export const MAX_FIELD_TEXT = 4_000;
export const MAX_FIELD_HTML = 6_000;
const MAX_ITEM = 1_000;
const MAX_URL = 2_048;
/** A day and a month that may be the other way round, as in page-date.ts. */
const EITHER_WAY = /(\d{1,2})\s*[/-]\s*(\d{1,2})\s*[/-]\s*\d{4}/;

/**
 * `written`: a text, or one for each item of a list. `isForPrograms`: it stands in JSON-LD or in an attribute for
 * programs, so that a number has a decimal point.
 */
export function readValue(
  written: string | readonly string[],
  as: FieldType,
  facts: PageFacts,
  isForPrograms: boolean,
): ReadValue {
  if (as === "list") return readList(typeof written === "string" ? [written] : written);
  const text = typeof written === "string" ? written : (written[0] ?? "");
  switch (as) {
    case "text":
      return cut(tidy(text, MAX_FIELD_TEXT), text, MAX_FIELD_TEXT);
    case "html":
      return cut(text.slice(0, MAX_FIELD_HTML).replace(/[\uD800-\uDBFF]$/, ""), text, MAX_FIELD_HTML);
    case "number": {
      const exact = isForPrograms ? machineNumber(text) : null;
      return exact === null ? readNumber(text, facts) : { value: exact, note: null };
    }
    case "date":
      return readDate(text, facts.language);
    case "url":
      return readUrl(text, facts.base);
  }
}

function cut(value: string, written: string, limit: number): ReadValue {
  if (value === "") return { problem: "it is empty" };
  const note =
    written.length > limit && value.length >= limit - 1 ? `only its first ${limit} characters are kept` : null;
  return { value, note };
}

function readList(written: readonly string[]): ReadValue {
  const items = written.map((item) => tidy(item, MAX_ITEM)).filter((item) => item !== "");
  return items.length === 0 ? { problem: "it is empty" } : { value: items, note: null };
}

function readDate(written: string, language: string | null): ReadValue {
  const text = tidy(written, 200);
  const value = findDate(text, language);
  if (value !== null) {
    const isTimeLeft = value.length === 10 && /(?<!\d)(?:[01]?\d|2[0-3])[:h]\d{2}(?!\d)/.test(text);
    return { value, note: isTimeLeft ? "its time is left out, because it names no time zone" : null };
  }
  if (EITHER_WAY.test(text))
    return {
      problem: `the day or the month may be first in ${JSON.stringify(text)}, and ${
        language === null ? "the page names no language" : `its language, ${language}, does not say`
      }`,
    };
  return { problem: `${JSON.stringify(text.slice(0, 80))} is no date with a year, a month and a day` };
}

function readUrl(written: string, base: string): ReadValue {
  const text = written.trim();
  if (text === "") return { problem: "it is empty" };
  if (text.length > MAX_URL) return { problem: `it is longer than ${MAX_URL} characters` };
  const url = URL.parse(text, base);
  if (url === null || !/^(?:https?|mailto|tel|geo):$/.test(url.protocol))
    return { problem: `${JSON.stringify(text.slice(0, 80))} is not the address of a page or a file` };
  return { value: url.href, note: null };
}

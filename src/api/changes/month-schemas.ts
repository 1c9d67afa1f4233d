import * as z from "zod";
import type { HeldWhy } from "../../changes/held-back.ts";
import { DAY_MS } from "../../core/clock.ts";
import { count as shownCount } from "../../core/shown-values.ts";
import { MOST_COUNTED } from "../../crawl/watch/survey.ts";
import { CHANGE_KINDS } from "../../crawl/watch/watch.ts";
import { MONTH_DAYS, type WatchMonth } from "../../crawl/watch/watch-month.ts";
import { count, isoOrNull, listOf, objectOf, time } from "../requests/fields.ts";

/** The answer of /api/crawls/:id/month. */

const HELD_WHY = ["noise", "everywhere", "undecided"] as const satisfies HeldWhy[];

export const heldFields = {
  host: z.string().describe("The host, with its port if it has one."),
  why: z
    .enum(HELD_WHY)
    .describe(
      "`noise`: two looks at a page, moments apart, differ there, or all pages show one text there and an hour later another one. `everywhere`: it came to most pages of the host at once. `undecided`: visits of other pages decide whether it did.",
    ),
  place: z.string().describe("What it is, in words."),
  pages: count.describe(
    "Number of pages that showed it until the reason was known: of noise at most 3 are counted, else 64.",
  ),
  others: count
    .nullable()
    .describe("Number of visits since then of pages that might have shown it, and did not. null for noise."),
  url: z.string().nullable().describe("One of these pages. null: it was not noted."),
  since: time.nullable().describe("When it was seen first. null for noise."),
  at: time.describe("When it was last seen."),
  before: z
    .string()
    .nullable()
    .describe("For noise, what the first look found; else the text that went. The first 80 characters."),
  after: z
    .string()
    .nullable()
    .describe("For noise, what the second look found; else the text that came. The first 80 characters."),
};

export const monthView = objectOf({
  from: time.describe(`The beginning of the first of ${MONTH_DAYS} days (UTC).`),
  to: time.describe("Now."),
  days: listOf({
    day: z.iso.date().describe("The day (UTC)."),
    changes: z.partialRecord(z.enum(CHANGE_KINDS), count).describe("Number of changes by kind."),
  }).describe(`The days, the first one first. Only the newest ${shownCount(MOST_COUNTED)} changes count.`),
  changedPages: count.describe("Number of pages that changed."),
  pages: listOf({
    url: z.string().describe("The canonical URL."),
    title: z.string().nullable().describe("Its title."),
    changes: count.describe("Number of its changes in these days."),
    seq: count.describe("The number of its last change."),
    kind: z.enum(CHANGE_KINDS).describe("The kind of its last change."),
    at: time.describe("When that was noticed."),
    detail: z.string().nullable().describe("The last change in words."),
  }).describe("The pages with most changes."),
  troubledHosts: listOf({
    host: z.string().describe("The host name."),
    since: time.describe("When its last trouble began."),
    lastAt: time.describe("The last day of it."),
    isNow: z.boolean().describe("Whether it still is in trouble."),
    why: z.string().nullable().describe("What was found at one of its pages, in words."),
  }).describe("Hosts that were in trouble, with their last trouble."),
  troubledPages: listOf({
    url: z.string().describe("The page."),
    since: time.describe("When its third failed visit in a row was."),
    why: z.string().describe("What its visits find, in words."),
  }).describe("Pages that keep failing."),
  heldBack: listOf(heldFields).describe("What differed and was told of no page, with its evidence, the newest first."),
  isHeldBackCut: z.boolean().describe("Whether there are more hosts than those whose evidence was read."),
});
export type MonthView = z.output<typeof monthView>;

export function viewMonth(month: WatchMonth): MonthView {
  const { from, to, days, pages, changedPages, hosts, troubledPages, held, isHeldCut } = month;
  const first = Math.floor(from / DAY_MS);
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    from: iso(from),
    to: iso(to),
    days: Array.from({ length: MONTH_DAYS }, (_, n) => ({
      day: iso((first + n) * DAY_MS).slice(0, 10),
      changes: Object.fromEntries(days.flatMap(({ day, kind, count }) => (day === first + n ? [[kind, count]] : []))),
    })),
    changedPages,
    pages: pages.map((page) => ({ ...page, at: iso(page.at) })),
    troubledHosts: hosts.map((host) => ({ ...host, since: iso(host.since), lastAt: iso(host.lastAt) })),
    troubledPages: troubledPages.map((page) => ({ ...page, since: iso(page.since) })),
    heldBack: held.map(({ sharedAt: _, ...one }) => ({ ...one, since: isoOrNull(one.since), at: iso(one.at) })),
    isHeldBackCut: isHeldCut,
  };
}

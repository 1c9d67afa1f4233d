import * as z from "zod";
import { type FoundSections, SECTION_KINDS, SECTION_STATUSES, type SectionCounts } from "../../sections/section.ts";
import { literalPrefix, sectionName } from "../../sections/section-name.ts";
import { count, listOf, objectOf, time } from "../requests/fields.ts";

/** What the API says of the sections of a site. */

const share = z.number().min(0).max(1);
const perMonth = z.number().min(0);

const counts = {
  urls: count.describe("The number of URLs."),
  statuses: z.partialRecord(z.enum(SECTION_STATUSES), count).describe("The number of URLs by status."),
  bytes: count.describe("Bytes of their bodies."),
  fetchMs: count.describe("The time to fetch them, in milliseconds."),
};

const shares = {
  pageShare: share.describe("Their share of the completed URLs of the crawl, 0 to 1."),
  byteShare: share.describe("Their share of its bytes."),
  timeShare: share.describe("Their share of its fetch time."),
};

export const sectionsView = objectOf({
  analyzedAt: time.describe("When the analysis began from which this is."),
  total: objectOf(counts).describe("The entire crawl."),
  sections: listOf({
    name: z.string().describe("What people may call it, such as `Articles in /blog/`."),
    pattern: z
      .string()
      .describe("The pattern of its URLs. `*` is a part of a segment or an entire one, `**` is any number of them."),
    prefix: z.string().describe("What its URLs begin with: `q` of the records has them, perhaps with others."),
    kind: z
      .enum(SECTION_KINDS)
      .nullable()
      .describe("What most of its pages are. `file` is no HTML page, and null: nothing was read."),
    ...counts,
    ...shares,
    words: count.nullable().describe("The median of the words of a page. null: no text was made of the pages."),
    contentLinks: count.nullable().describe("The median of the links in the content of a page."),
    navigationLinks: count.nullable().describe("The median of the links around the content of a page."),
    rank: z
      .int()
      .min(0)
      .max(255)
      .nullable()
      .describe("The mean PageRank of its pages, as a step like that of records."),
    changesPerMonth: perMonth
      .nullable()
      .describe("Changes of a page in 30 days. null: its pages were not visited twice."),
    examples: listOf({
      url: z.string().describe("The URL."),
      title: z.string().nullable().describe("The title of the page."),
    }).describe("At most five of its pages: those with the highest ranks."),
  }).describe("At most 50 sections, those with the most URLs first. Each URL is in one section."),
  others: objectOf({ sections: count.describe("The number of these sections."), ...counts, ...shares })
    .nullable()
    .describe("The sum of the smaller sections; null if there are none."),
});
export type SectionsView = z.output<typeof sectionsView>;
export type SectionView = SectionsView["sections"][number];

export function viewSections({ analyzedAt, total, sections, others }: FoundSections): SectionsView {
  return {
    analyzedAt: new Date(analyzedAt).toISOString(),
    total,
    sections: sections.map((section) => ({
      name: sectionName(section.pattern, section.kind),
      prefix: literalPrefix(section.pattern),
      ...section,
      ...sharesOf(section, total),
    })),
    others: others === null ? null : { ...others, ...sharesOf(others, total) },
  };
}

function sharesOf(part: SectionCounts, total: SectionCounts) {
  const shareOf = (some: number, all: number) => (all === 0 ? 0 : some / all);
  return {
    pageShare: shareOf(part.statuses.completed, total.statuses.completed),
    byteShare: shareOf(part.bytes, total.bytes),
    timeShare: shareOf(part.fetchMs, total.fetchMs),
  };
}

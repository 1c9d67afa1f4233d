import type { FC } from "hono/jsx";
import type { CrawlView, SectionsView, SectionView } from "../../api/views.ts";
import { bytes, count, duration, plural } from "../../core/shown-values.ts";
import { recordAddress, recordsAddress } from "../parts/addresses.ts";
import { shortUrl, Time } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { type Box, boxState, MapHead, MapPicture } from "./map-picture.tsx";

/** The sections of a site as a treemap and as a table. Each leads to its records. */

const MEASURES = { urls: "URLs", bytes: "bytes", time: "fetch time" } as const;
export type SectionMeasure = keyof typeof MEASURES;

export function readMeasure(by: string | undefined): SectionMeasure {
  return by === "bytes" || by === "time" ? by : "urls";
}

interface SectionMapProps {
  crawl: CrawlView;
  found: SectionsView;
  by: SectionMeasure;
}

export const SectionMap: FC<SectionMapProps> = ({ crawl, found, by }) => {
  const { sections, others, analyzedAt } = found;
  return (
    <>
      <section class="panel" aria-label="Treemap">
        <MapHead
          measures={(Object.keys(MEASURES) as SectionMeasure[]).map((each) => ({
            name: MEASURES[each],
            href: `/crawls/${crawl.id}/map?by=${each}`,
            isCurrent: each === by,
          }))}
        />
        <MapPicture boxes={sectionBoxes(crawl, found, by)} />
      </section>
      <div class="panel flush">
        <Table caption="Sections" columns={columnsOf(crawl, sections)} rows={sections} />
      </div>
      <p class="notice">
        {others !== null &&
          `${plural(others.sections, "smaller section")} with ${plural(others.urls, "URL")} not listed. `}
        As analyzed <Time at={analyzedAt} />.
      </p>
    </>
  );
};

/** A box is called after its pattern, which fits into it: many sections of a manual are documentation. */
function sectionBoxes(crawl: CrawlView, { sections, others }: SectionsView, by: SectionMeasure): Box[] {
  const hosts = new Set(sections.map(({ pattern }) => hostOf(pattern)));
  const boxes = sections.map((section): Box => {
    const short = shortUrl(section.pattern);
    const path = hosts.size > 1 ? short : short.slice(hostOf(section.pattern).length);
    const { summary, ...box } = boxOf(section, by);
    const name = path === "" ? section.name : path;
    return { name, href: sectionAddress(crawl, section), ...box, summary: `${section.name}, ${summary}`, below: [] };
  });
  if (others === null) return boxes;
  const href = recordsAddress(crawl, {});
  return [...boxes, { name: `${count(others.sections)} smaller`, href, ...boxOf(others, by), below: [] }];
}

function hostOf(pattern: string): string {
  return shortUrl(pattern).split("/", 1)[0] ?? "";
}

function boxOf(
  part: Pick<SectionView, "urls" | "statuses" | "bytes" | "fetchMs">,
  by: SectionMeasure,
): Pick<Box, "size" | "sizeText" | "summary" | "state"> {
  const { completed = 0, queued = 0, errored = 0 } = part.statuses;
  const time = duration(part.fetchMs / 1_000);
  const sizes = {
    urls: [part.urls, count(part.urls)],
    bytes: [part.bytes, bytes(part.bytes)],
    time: [part.fetchMs, time],
  } as const;
  const [size, sizeText] = sizes[by];
  const summary = `${plural(part.urls, "URL")}, ${count(completed)} stored, ${count(errored)} errored, ${bytes(part.bytes)}, ${time}`;
  return { size, sizeText, summary, state: boxState({ urls: part.urls, completed, queued, errored }) };
}

/** The records whose URLs begin like those of the section. */
function sectionAddress(crawl: CrawlView, { prefix }: SectionView): string {
  return recordsAddress(crawl, { q: prefix, sort: "rank.desc" });
}

function columnsOf(crawl: CrawlView, sections: readonly SectionView[]): Column<SectionView>[] {
  const number = (text: string, cell: (section: SectionView) => string | null, width = ""): Column<SectionView>[] => {
    // A number that is known of no section has no column.
    if (sections.every((section) => cell(section) === null)) return [];
    return [{ text, class: `number ${width}`.trim(), cell: (section) => cell(section) ?? "–" }];
  };
  const known = (value: number | null) => (value === null ? null : count(value));
  return [
    {
      text: "Section",
      cell: (section) => (
        <>
          <a href={sectionAddress(crawl, section)}>{section.name}</a>
          <div class="muted small url">{shortUrl(section.pattern)}</div>
          {section.examples.length > 0 && <Examples crawl={crawl} section={section} />}
        </>
      ),
    },
    ...number("URLs", ({ urls }) => count(urls)),
    ...number("Stored", ({ statuses }) => count(statuses.completed ?? 0)),
    ...number("Pages", ({ pageShare }) => percent(pageShare), "mid"),
    ...number("Bytes", (section) => bytes(section.bytes), "mid"),
    ...number("Time", ({ timeShare }) => percent(timeShare), "mid"),
    ...number("Words", ({ words }) => known(words), "mid"),
    ...number("Links", ({ contentLinks }) => known(contentLinks), "mid"),
    ...number("Rank", ({ rank }) => known(rank), "mid"),
    ...number("Changes a month", ({ changesPerMonth }) => changesPerMonth?.toFixed(1) ?? null, "mid"),
  ];
}

const Examples: FC<{ crawl: CrawlView; section: SectionView }> = ({ crawl, section: { name, examples } }) => (
  <details class="small">
    <summary>
      {plural(examples.length, "example")}
      <span class="visually-hidden"> of {name}</span>
    </summary>
    <ul>
      {examples.map(({ url, title }) => (
        <li>
          <a class="url" href={recordAddress(crawl.id, url)}>
            {shortUrl(url)}
          </a>
          {title !== null && title !== "" && <bdi class="muted"> {title}</bdi>}
        </li>
      ))}
    </ul>
  </details>
);

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`;
}

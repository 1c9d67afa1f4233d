import type { FC, PropsWithChildren } from "hono/jsx";
import type { CrawlDetail, CrawlView, RecordView, ReportView } from "../../api/views.ts";
import { bytes, count } from "../../core/shown-values.ts";
import { recordAddress, recordsAddress } from "../parts/addresses.ts";
import { sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { Breakdown } from "./breakdown.tsx";
import { isErrorReason, reasonText } from "./explanation.tsx";

/** The parts of a crawl's page that update while it runs. */

export const Breakdowns: FC<{ crawl: CrawlView; report: ReportView | null }> = ({ crawl, report }) => (
  <div class="breakdowns" data-key="breakdowns">
    <Breakdown
      title="Status"
      of="Status"
      inOrder
      parts={Object.entries(crawl.counts)
        .toSorted(([a], [b]) => STATUS_ORDER.indexOf(a) - STATUS_ORDER.indexOf(b))
        .map(([name, number]) => ({
          name: sentence(name),
          count: number,
          isBad: name === "errored",
          href: recordsAddress(crawl, { status: name }),
        }))}
    />
    {report !== null && (
      <>
        <Breakdown
          title="HTTP codes"
          of="Code"
          parts={Object.entries(report.codes).map(([name, number]) => ({
            name,
            count: number,
            isBad: name >= "400",
            href: recordsAddress(crawl, { code: name }),
          }))}
        />
        <Breakdown
          title="Content types"
          of="Type"
          parts={Object.entries(report.types).map(([name, number]) => ({
            name,
            count: number,
            href: recordsAddress(crawl, { type: name }),
          }))}
        />
        <Breakdown
          title="Depth"
          of="Depth"
          inOrder
          parts={Object.entries(report.depths)
            .toSorted(([a], [b]) => Number(a) - Number(b))
            .map(([name, number]) => ({ name, count: number }))}
        />
        <Breakdown
          title="Why not stored"
          of="Reason"
          parts={Object.entries(report.reasons).map(([name, number]) => ({
            name: reasonText(name),
            count: number,
            isBad: isErrorReason(name),
            href: recordsAddress(crawl, { reason: name }),
          }))}
        />
      </>
    )}
  </div>
);

const STATUS_ORDER = ["completed", "queued", "skipped", "disallowed", "errored", "cancelled"];

export const Newest: FC<{ id: string; report: ReportView }> = ({ id, report }) => (
  <div class="columns" data-key="newest">
    <section class="panel">
      <h2>Newest pages</h2>
      {report.newest.length === 0 ? (
        <p class="muted">No pages stored.</p>
      ) : (
        <ul class="records">
          {report.newest.map((record) => (
            <li data-key={record.url}>
              <p>{record.title || shortUrl(record.url)}</p>
              <RecordLine id={id} record={record}>
                {bytes(record.bytes ?? 0)} · <Time at={record.fetchedAt} />
              </RecordLine>
            </li>
          ))}
        </ul>
      )}
    </section>
    <section class="panel">
      <h2>Newest errors</h2>
      {report.errors.length === 0 ? (
        <p class="muted">No errors.</p>
      ) : (
        <ul class="records">
          {report.errors.map((record) => (
            <li data-key={record.url}>
              <p>{sentence(record.explanation ?? "")}</p>
              <RecordLine id={id} record={record}>
                <Time at={record.fetchedAt} />
              </RecordLine>
            </li>
          ))}
        </ul>
      )}
    </section>
  </div>
);

/** The record's URL, as a link to the record, and further facts. */
const RecordLine: FC<PropsWithChildren<{ id: string; record: RecordView }>> = ({ id, record, children }) => (
  <p class="line muted small">
    <a class="url" href={recordAddress(id, record.url)}>
      {shortUrl(record.url)}
    </a>
    <span class="nowrap">{children}</span>
  </p>
);

function explainAddress(id: string, url: string): string {
  return `/crawls/${id}/explain?${new URLSearchParams({ url })}`;
}

/** Records of an archive that have no record in the crawl. Their URLs may be those of other schemes. */
export const LeftOutRecords: FC<{ archive: NonNullable<CrawlDetail["archive"]> }> = ({ archive }) => (
  <section class="panel" data-key="left-out">
    <h2>Left out of the archive</h2>
    <ul class="records">
      {archive.leftOut.map(({ reason, text, count: number, examples }) => (
        <li data-key={reason}>
          <p class="line">
            <span>{sentence(text)}</span>
            <span>{count(number)}</span>
          </p>
          <p class="muted small url">such as {examples.join(", ")}</p>
        </li>
      ))}
    </ul>
  </section>
);

export const RefusedLinks: FC<{ crawl: CrawlDetail }> = ({ crawl }) => (
  <section class="panel" data-key="refused">
    <h2>Links not followed</h2>
    <ul class="records">
      {crawl.refused.map(({ reason, text, count: number, examples }) => (
        <li data-key={reason}>
          <p class="line">
            <span>{sentence(text)}</span>
            <span>{count(number)}</span>
          </p>
          <p class="muted small">
            such as{" "}
            {examples.slice(0, 3).map((url, i) => (
              <>
                {i > 0 && ", "}
                <a class="url" href={explainAddress(crawl.id, url)}>
                  {shortUrl(url)}
                </a>
              </>
            ))}
          </p>
        </li>
      ))}
    </ul>
  </section>
);

/** Hosts that the crawl takes no further pages of. */
export const FullHosts: FC<{ crawl: CrawlDetail }> = ({ crawl }) => (
  <section class="panel" data-key="full-hosts">
    <h2>Hosts at their page limit</h2>
    <p class="muted small">
      The crawl takes {count(crawl.options.limitPerHost)} pages of each host, so other pages of these are skipped. To
      take all of them, crawl again without a page limit per host.
    </p>
    <ul class="records">
      {crawl.fullHosts.map((host) => (
        <li data-key={host}>
          <code>{host}</code>
        </li>
      ))}
    </ul>
  </section>
);

export const SlowedPatterns: FC<{ crawl: CrawlDetail }> = ({ crawl }) => (
  <section class="panel" data-key="slowed">
    <h2>Slowed patterns</h2>
    <p class="muted small">
      The last 200 pages of these patterns said nothing new, so one in 50 of their URLs is fetched. To leave a pattern
      out, exclude it. To fetch all of its pages, crawl again and keep endless patterns.
    </p>
    <ul class="records">
      {crawl.slowed.map(({ pattern, pages, held }) => (
        <li data-key={pattern}>
          <p class="line">
            <code>{pattern}</code>
            <span>{count(held)} not fetched</span>
          </p>
          <p class="muted small">{count(pages)} pages judged</p>
        </li>
      ))}
    </ul>
  </section>
);

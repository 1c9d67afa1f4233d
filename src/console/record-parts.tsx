import type { FC } from "hono/jsx";
import type { RecordDetailView } from "../api/report-view.ts";
import type { CrawlView } from "../api/views.ts";
import { recordAddress, recordsAddress } from "./addresses.ts";
import { count, plural, Status, shortUrl } from "./numbers.tsx";

/** What stands around a record: where it came from, what it led to, and what its answer said. */

/** Of a page with thousands; the API has them all. */
const MOST_LINKS = 500;

export const Way: FC<{ crawl: CrawlView; steps: RecordDetailView["path"] }> = ({ crawl, steps }) => (
  <ol class="way">
    {steps.map(({ url, kind, title }, i) => (
      <li aria-current={i === steps.length - 1 ? "step" : undefined}>
        {kind === "page" && i < steps.length - 1 ? (
          <a href={recordAddress(crawl.id, url)}>{title || shortUrl(url)}</a>
        ) : (
          <span>{title || shortUrl(url)}</span>
        )}
        <span class="muted small address">{kind === "page" ? (title ? shortUrl(url) : "") : kind}</span>
      </li>
    ))}
  </ol>
);

export const Found: FC<{ crawl: CrawlView; detail: RecordDetailView }> = ({
  crawl,
  detail: { found, hasMoreFound },
}) => {
  if (found.length === 0) return <p class="muted">Nothing that was not known before.</p>;
  return (
    <>
      <ul class="found">
        {found.map(({ url, status, title }) => (
          <li>
            <Status of={status} />
            <a class="url" href={recordAddress(crawl.id, url)}>
              {title || shortUrl(url)}
            </a>
          </li>
        ))}
      </ul>
      {hasMoreFound && <p class="muted small">These are the first {count(found.length)} of them.</p>}
    </>
  );
};

/** A link of a page, as its format `links` has it. */
export interface Outlink {
  url: string;
  kind: string;
  nofollow: boolean;
}

export const Outlinks: FC<{ crawl: CrawlView; links: Outlink[] }> = ({ crawl, links }) => {
  if (links.length === 0) return <p class="muted">There are no links in this page.</p>;
  return (
    <>
      <p class="muted small">
        {plural(links.length, "link")}, each once
        {links.length > MOST_LINKS && `; these are the first ${count(MOST_LINKS)}`}.
      </p>
      <ul class="found">
        {links.slice(0, MOST_LINKS).map(({ url, kind, nofollow }) => (
          <li>
            <span class="tag">{kind}</span>
            <span>
              <a class="url" href={recordsAddress(crawl, { q: url })}>
                {shortUrl(url)}
              </a>{" "}
              {nofollow && <span class="tag">nofollow</span>}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};

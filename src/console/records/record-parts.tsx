import type { FC } from "hono/jsx";
import type { CrawlView, RecordDetailView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { recordAddress, recordsAddress } from "../parts/addresses.ts";
import { Status, shortUrl } from "../parts/numbers.tsx";

/** The links around a record: the path from the seed, the URLs first found on it, and all its outlinks. */

/** Further links are left out; the API returns all of them. */
const MAX_LINKS = 500;

export const PathFromSeed: FC<{ crawl: CrawlView; steps: RecordDetailView["path"] }> = ({ crawl, steps }) => (
  <ol class="seed-path">
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

export const FoundUrls: FC<{ crawl: CrawlView; detail: RecordDetailView }> = ({
  crawl,
  detail: { found, hasMoreFound },
}) => {
  if (found.length === 0) return <p class="muted">No new URLs.</p>;
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
      {hasMoreFound && <p class="muted small">Only the first {count(found.length)} are shown.</p>}
    </>
  );
};

/** A link in the format `links`. */
export interface Outlink {
  url: string;
  kind: string;
  nofollow: boolean;
}

export const Outlinks: FC<{ crawl: CrawlView; links: Outlink[] }> = ({ crawl, links }) => {
  if (links.length === 0) return <p class="muted">This page has no links.</p>;
  return (
    <>
      <p class="muted small">
        {plural(links.length, "distinct link")}
        {links.length > MAX_LINKS && `; only the first ${count(MAX_LINKS)} are shown`}
      </p>
      <ul class="found">
        {links.slice(0, MAX_LINKS).map(({ url, kind, nofollow }) => (
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

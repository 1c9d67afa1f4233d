import type { FC } from "hono/jsx";
import type { CrawlView, InlinksView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { recordAddress } from "../parts/addresses.ts";
import { shortUrl, Time } from "../parts/numbers.tsx";

/** Who links to a record, and with what words. */

export const Inlinks: FC<{ crawl: CrawlView; of: InlinksView }> = ({
  crawl,
  of: { url, total, analyzedAt, ...page },
}) => (
  <>
    <p class="muted small">
      {count(total)} {total === 1 ? "page or redirect leads" : "pages and redirects lead"} here, as analyzed{" "}
      <Time at={analyzedAt} />.
    </p>
    <ul class="found">
      {page.sources.map((source) => (
        <li>
          <span class="tag">{source.redirects ? "redirect" : "page"}</span>
          <span>
            <a class="url" href={recordAddress(crawl.id, source.url)}>
              {source.title || shortUrl(source.url)}
            </a>{" "}
            <Words of={source} />
          </span>
        </li>
      ))}
    </ul>
    {page.cursor !== null && (
      <p>
        <a href={`${recordAddress(crawl.id, url, "inlinks")}&${new URLSearchParams({ cursor: page.cursor })}`}>More</a>
      </p>
    )}
  </>
);

const Words: FC<{ of: InlinksView["sources"][number] }> = ({ of: { redirects, links } }) => {
  if (redirects) return <span class="muted small">redirects here</span>;
  if (links.length === 0) return <span class="muted small">its links are no longer stored</span>;
  return (
    <>
      {links.map(({ text, kind, place, nofollow, fragment }) => (
        <span class="small">
          {text === "" ? "(no text)" : `“${text}”`}{" "}
          <span class="muted">
            {kind}, {place}
            {nofollow && ", nofollow"}
            {fragment !== null && `, #${fragment}`}
          </span>{" "}
        </span>
      ))}
    </>
  );
};

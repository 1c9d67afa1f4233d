import type { FC } from "hono/jsx";
import type { SearchView } from "../api/views.ts";
import { recordAddress } from "./addresses.ts";
import { plural, shortUrl, Time } from "./numbers.tsx";

/** What a search has found. */

interface FoundProps {
  of: SearchView;
  q: string;
  /** The one crawl that was searched; empty for all. */
  crawl: string;
}

export const Found: FC<FoundProps> = ({ of: { hits, total, cursor, note }, q, crawl }) => {
  if (hits.length === 0)
    return (
      <div class="panel empty">
        <h2>Nothing was found</h2>
        <p>{note ?? "Fewer words find more."}</p>
      </div>
    );
  const next = new URLSearchParams({ q, ...(crawl === "" ? {} : { crawl }), cursor: cursor ?? "" });
  return (
    <>
      <p class="muted small hits-total" role="status">
        {plural(total, "page")}
      </p>
      <ol class="hits">
        {hits.map((hit) => (
          <li class="panel">
            <h2>
              <a href={recordAddress(hit.crawl, hit.url)}>{hit.title || shortUrl(hit.url)}</a>
            </h2>
            <p class="muted small url">
              {shortUrl(hit.url)} · <Time at={hit.fetchedAt} />
            </p>
            <p class="snippet">{hit.snippet.map(({ text, hit: isHit }) => (isHit ? <mark>{text}</mark> : text))}</p>
          </li>
        ))}
      </ol>
      {cursor !== null && (
        <p class="centred-button">
          <a class="button" href={`/search?${next}`}>
            More
          </a>
        </p>
      )}
    </>
  );
};

import type { FC } from "hono/jsx";
import type { SearchView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { recordAddress } from "../parts/addresses.ts";
import { shortUrl, Time } from "../parts/numbers.tsx";

/** The results of a search. */

interface SearchHitsProps {
  of: SearchView;
  q: string;
  /** The id of the searched crawl; empty for all crawls. */
  crawl: string;
  /** Empty for the best match first. */
  order: string;
  /** Whether each of several pages with the same text is shown. */
  twins: "group" | "all";
}

export const SearchHits: FC<SearchHitsProps> = ({
  of: { hits, total, isAtLeast, cursor, note, corrected },
  q,
  crawl,
  order,
  twins,
}) => {
  if (hits.length === 0)
    return (
      <div class="panel empty">
        <h2>No results</h2>
        <p>{note ?? "Try fewer words."}</p>
      </div>
    );
  const asked = { q, ...(crawl === "" ? {} : { crawl }), ...(order === "" ? {} : { order }) };
  const next = new URLSearchParams({ ...asked, ...(twins === "all" ? { twins } : {}), cursor: cursor ?? "" });
  const all = new URLSearchParams({ ...asked, twins: "all" });
  return (
    <>
      <p class="muted small hits-total" role="status">
        {isAtLeast && "at least "}
        {plural(total, "page")}
        {note !== null && `. ${note}`}
        {corrected.map(({ word, by }) => ` Searched for “${by}” instead of “${word}”.`).join("")}
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
            {hit.twins > 0 && (
              <p class="muted small">
                <a href={`/search?${all}`}>{plural(hit.twins, "other page")} with the same text</a>
              </p>
            )}
          </li>
        ))}
      </ol>
      {cursor !== null && (
        <p class="centred-button">
          <a class="button" href={`/search?${next}`}>
            More results
          </a>
        </p>
      )}
    </>
  );
};

import type { FC } from "hono/jsx";
import type { ChunkView, CrawlView, RecordView } from "../../api/views.ts";
import { MAX_CHUNK_TOKENS, MIN_CHUNK_TOKENS } from "../../chunks/chunk.ts";
import { count } from "../../core/shown-values.ts";
import { Submit } from "../parts/controls.tsx";

/** The chunks of a page, as a model or a vector index gets them, in a size to try. */

/** Further chunks are left out; the API returns all of them. */
const MAX_SHOWN = 200;

interface ChunksProps {
  crawl: CrawlView;
  record: RecordView;
  chunks: ChunkView[];
  /** The size that was asked for; empty for that of the crawl. */
  size: string;
}

export const Chunks: FC<ChunksProps> = ({ crawl, record, chunks, size }) => (
  <>
    <form class="filters cut" method="get" action={`/crawls/${crawl.id}/record`}>
      <input type="hidden" name="url" value={record.url} />
      <input type="hidden" name="tab" value="chunks" />
      <div class="field">
        <label for="chunkTokens">Tokens at most</label>
        <input
          id="chunkTokens"
          type="number"
          name="chunkTokens"
          min={MIN_CHUNK_TOKENS}
          max={MAX_CHUNK_TOKENS}
          value={size === "" ? crawl.options.chunkTokens : size}
        />
      </div>
      <Submit>Cut</Submit>
    </form>
    <p class="muted small">
      {chunks.length === 1 ? "1 chunk" : `${count(chunks.length)} chunks`}, cut at headings. Tokens are estimated.
    </p>
    {chunks.slice(0, MAX_SHOWN).map(({ order, headings, tokens, link, text }) => (
      <section class="chunk">
        <h3>
          {order + 1}. {headings.length === 0 ? "Before the first heading" : headings.join(" › ")}
        </h3>
        <p class="muted small">
          {count(tokens)} tokens,{" "}
          <a href={link} rel="noreferrer noopener nofollow" target="_blank">
            in the live page
            <span class="visually-hidden"> (opens in a new tab)</span>
          </a>
        </p>
        <pre class="text" tabindex={0}>
          {text}
        </pre>
      </section>
    ))}
    {chunks.length > MAX_SHOWN && <p class="muted small">Only the first {MAX_SHOWN} are shown.</p>}
  </>
);

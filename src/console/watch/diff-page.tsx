import { Hono } from "hono";
import type { Child, FC } from "hono/jsx";
import type { CrawlView, DiffLineView, DiffView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { apiPath, callApi, callApiOrMessage } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console } from "../page-context.ts";
import { diffAddress, recordAddress } from "../parts/addresses.ts";
import { shortUrl, Time } from "../parts/numbers.tsx";

/** What changed between two versions of a page. */

export const diffPageRoutes = new Hono<Console>();

diffPageRoutes.get("/crawls/:id/diff", async (c) => {
  const at = apiPath(c);
  const { url = "", from = "", to = "", full = "" } = c.req.query();
  const [crawl, diff] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApiOrMessage<DiffView>(
      c,
      `${at}/diff?${new URLSearchParams({ url, from, to, full: String(full === "true") })}`,
    ),
  ]);
  const title = typeof diff === "string" ? shortUrl(url) : diff.to.title || shortUrl(diff.url);
  return render(
    c,
    <Page title={`Difference: ${title}`} c={c} section="crawls" styles={["records.css", "changes.css"]}>
      <CrawlHeading crawl={crawl} tab="changes" />
      <article class="record">
        <h2>{title}</h2>
        <p class="url">
          <a href={recordAddress(crawl.id, url)}>{url}</a>
        </p>
        {typeof diff === "string" ? (
          <p class="notice problem" role="alert">
            {diff}
          </p>
        ) : (
          <Difference crawl={crawl} diff={diff} />
        )}
      </article>
    </Page>,
    typeof diff === "string" ? 404 : 200,
  );
});

const Difference: FC<{ crawl: CrawlView; diff: DiffView }> = ({ crawl, diff }) => {
  const { url, from, to, earlier, later, full, title, canonical, hunks, hunksLeftOut, rest } = diff;
  const address = (version: string, isFull = full) => diffAddress(crawl.id, url, version, isFull);
  const isSame = title === null && canonical === null && hunks.length === 0 && rest === null;
  const other = new URLSearchParams({ url, from: from.fetchedAt, to: to.fetchedAt, full: String(!full) });
  return (
    <>
      <p class="muted">
        From <Time at={from.fetchedAt} /> to <Time at={to.fetchedAt} />
      </p>
      <nav class="actions versions" aria-label="Versions">
        {earlier !== null && (
          <a class="button" href={address(from.fetchedAt)}>
            Change before
          </a>
        )}
        {later !== null && (
          <a class="button" href={address(later)}>
            Change after
          </a>
        )}
        <a class="button" href={`/crawls/${crawl.id}/diff?${other}`}>
          {full ? "Show only what counts" : "Compare the full text"}
        </a>
        <a class="button" href={`${recordAddress(crawl.id, url)}#versions`}>
          All versions
        </a>
      </nav>
      <p class="muted small">
        {full
          ? "This compares the full text of both versions."
          : "The template of the host and what the watch ignores are left out, as they are known today."}
      </p>
      {isSame && (
        <div class="panel empty">
          <h2>{full ? "No difference in the main content" : "No difference that counts"}</h2>
          {!full && <p>Both versions differ at most in what is left out.</p>}
        </div>
      )}
      {title !== null && <Words name="Title" {...title} />}
      {canonical !== null && <Words name="Canonical URL" {...canonical} />}
      {hunks.map(({ under, lines }) => (
        <section class="panel diff">
          {under.length > 0 && <h3 class="muted small">{under.join(" › ")}</h3>}
          {lines.map((line) => (
            <Line line={line} />
          ))}
        </section>
      ))}
      {hunksLeftOut > 0 && <p class="notice">{plural(hunksLeftOut, "more difference")} not shown.</p>}
      {rest !== null && <p class="notice">The text after the first megabyte changed, too. It is not shown.</p>}
    </>
  );
};

const Words: FC<{ name: string; before: string | null; after: string | null }> = ({ name, before, after }) => (
  <section class="panel diff">
    <h3 class="muted small">{name}</h3>
    {before !== null && <Line line={{ kind: "removed", text: before }} />}
    {after !== null && <Line line={{ kind: "added", text: after }} />}
  </section>
);

/** Screen readers do not tell `ins` and `del` by themselves. */
const Line: FC<{ line: DiffLineView }> = ({ line }) => {
  if (!("parts" in line))
    return line.kind === "same" ? <p class="muted">{line.text}</p> : <p>{marked(line.kind, line.text)}</p>;
  return <p>{line.parts.map(({ kind, text }) => (kind === "same" ? text : marked(kind, text)))}</p>;
};

function marked(kind: "added" | "removed", text: string): Child {
  return kind === "added" ? (
    <ins>
      <span class="visually-hidden">[added: </span>
      {text}
      <span class="visually-hidden">]</span>
    </ins>
  ) : (
    <del>
      <span class="visually-hidden">[removed: </span>
      {text}
      <span class="visually-hidden">]</span>
    </del>
  );
}

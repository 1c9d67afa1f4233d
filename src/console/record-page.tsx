import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { RecordDetailView } from "../api/report-view.ts";
import type { CrawlView, RecordView } from "../api/views.ts";
import { recordAddress, replayAddress } from "./addresses.ts";
import { callApi, requestApi } from "./call-api.ts";
import { CrawlHeading } from "./crawl-heading.tsx";
import { Page, render } from "./layout.tsx";
import { bytes, count, Status, sentence, shortUrl, Time } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { Pairs } from "./pairs.tsx";
import { Found, type Outlink, Outlinks, Way } from "./record-parts.tsx";

/** One record: what was decided, how it was come upon, and the page that was kept, in each of its forms. */

export const recordPageRoutes = new Hono<Console>();

const TABS = [
  { name: "decision", text: "Decision" },
  { name: "page", text: "Page" },
  { name: "markdown", text: "Markdown" },
  { name: "text", text: "Text" },
  { name: "metadata", text: "Metadata" },
  { name: "links", text: "Links" },
  { name: "headers", text: "Headers" },
] as const;
type Tab = (typeof TABS)[number]["name"];

/** Of Markdown and text; all of it is at the API. */
const MOST_CHARACTERS = 500_000;

recordPageRoutes.get("/crawls/:id/record", async (c) => {
  const at = `/api/crawls/${encodeURIComponent(c.req.param("id"))}`;
  const query = new URLSearchParams({ url: c.req.query("url") ?? "" });
  const [crawl, detail] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<RecordDetailView>(c, "GET", `${at}/record?${query}`),
  ]);
  const { record } = detail;
  const isKept = record.status === "completed";
  const asked = TABS.find(({ name }) => name === c.req.query("tab"))?.name ?? "decision";
  const tab = isKept ? asked : "decision";
  return render(
    c,
    <Page title={record.title || shortUrl(record.url)} c={c} section="crawls" styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="records" />
      <article class="record">
        <h2>{record.title || shortUrl(record.url)}</h2>
        <p class="url">
          <a href={record.url} rel="noreferrer noopener nofollow" target="_blank">
            {record.url}
            <span class="visually-hidden"> (on the site itself, in a new tab)</span>
          </a>
        </p>
        <Facts record={record} />
        {isKept && (
          <nav class="tabs" aria-label="Record">
            {TABS.map(({ name, text }) => (
              <a href={recordAddress(crawl.id, record.url, name)} aria-current={name === tab ? "page" : undefined}>
                {text}
              </a>
            ))}
          </nav>
        )}
        {tab === "decision" ? (
          <Decision crawl={crawl} detail={detail} />
        ) : (
          <div class="panel body">{await content(c, `${at}/page`, crawl, record, tab)}</div>
        )}
      </article>
    </Page>,
  );
});

async function content(c: PageContext, at: string, crawl: CrawlView, { url }: RecordView, tab: Tab) {
  const address = (format?: string) =>
    `${at}?${new URLSearchParams({ url, ...(format === undefined ? {} : { format }) })}`;
  switch (tab) {
    case "markdown":
    case "text": {
      const answer = await requestApi(c, "GET", address(tab));
      if (!answer.ok) return <p class="muted">The mirror holds no such page any more.</p>;
      const text = await answer.text();
      if (text.trim() === "") return <p class="muted">There is no text in this page.</p>;
      return (
        <>
          <pre class="text" tabindex={0}>
            {text.slice(0, MOST_CHARACTERS)}
          </pre>
          {text.length > MOST_CHARACTERS && <p class="muted small">This is its beginning; the API has all of it.</p>}
        </>
      );
    }
    case "metadata": {
      return <Pairs of={spoken(await callApi<Record<string, unknown>>(c, "GET", address("json")))} />;
    }
    case "headers":
      return <Pairs of={await callApi<Record<string, string>>(c, "GET", address("headers"))} />;
    case "links":
      return <Outlinks crawl={crawl} links={await callApi<Outlink[]>(c, "GET", address("links"))} />;
    default:
      return (
        <>
          <p class="muted small">
            As the server sent it, and nothing else: no scripts, and nothing fetched from anywhere.{" "}
            <a href={address()}>Alone</a>, or <a href={replayAddress(crawl.id, url)}>as it looked</a>, as far as the
            crawl kept what it shows.
          </p>
          <iframe title="The page as it was mirrored" src={address()} sandbox="" loading="lazy" />
        </>
      );
  }
}

/** What a page says of itself, by names as people write them; its text has a tab of its own. */
function spoken({ text: _, headings, ...metadata }: Record<string, unknown>): Record<string, unknown> {
  const lines = (headings as { level: number; text: string }[] | undefined)?.map(
    ({ level, text }) => `H${level} ${text}`,
  );
  const named = Object.entries({ ...metadata, headings: lines?.join("\n") ?? "" });
  return Object.fromEntries(
    named.map(([name, value]) => [
      name === "url" ? "URL" : sentence(name.replaceAll(/[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)),
      typeof value === "number" ? count(value) : value,
    ]),
  );
}

const Facts: FC<{ record: RecordView }> = ({ record }) => (
  <dl class="facts">
    <Fact name="Status">
      <Status of={record.status} />
    </Fact>
    {record.httpStatus !== null && <Fact name="HTTP code">{record.httpStatus}</Fact>}
    {record.contentType !== null && <Fact name="Type">{record.contentType}</Fact>}
    {record.bytes !== null && <Fact name="Size">{bytes(record.bytes)}</Fact>}
    <Fact name="Depth">{count(record.depth)}</Fact>
    {record.fetchedAt !== null && (
      <Fact name={record.httpStatus === null ? "Decided" : "Fetched"}>
        <Time at={record.fetchedAt} />
      </Fact>
    )}
    {record.lastmod !== null && (
      <Fact name="Changed, its sitemap says">
        <Time at={record.lastmod} />
      </Fact>
    )}
  </dl>
);

const Fact: FC<{ name: string; children?: unknown }> = ({ name, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Decision: FC<{ crawl: CrawlView; detail: RecordDetailView }> = ({ crawl, detail }) => {
  const { record } = detail;
  const why = `/crawls/${crawl.id}/explain?${new URLSearchParams({ url: record.url })}`;
  return (
    <>
      <section class="panel">
        <h2>What was decided</h2>
        <p class="sentence">
          {record.status === "completed"
            ? "It was fetched and kept."
            : record.status === "queued"
              ? "It waits for its turn."
              : `It was not kept: ${record.explanation ?? "nobody said why"}.`}{" "}
          <a href={why}>Every rule that was asked</a>
        </p>
        {record.sha256 !== null && (
          <p class="muted small url">
            SHA-256 of its body: <code>{record.sha256}</code>
          </p>
        )}
      </section>
      <div class="columns">
        <section class="panel">
          <h2>The way to it</h2>
          <Way crawl={crawl} steps={detail.path} />
          <p class="muted small">Of the pages that link to it, a crawl keeps the one on which it was first found.</p>
        </section>
        <section class="panel">
          <h2>First found on it</h2>
          <Found crawl={crawl} detail={detail} />
        </section>
      </div>
    </>
  );
};

import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type {
  ChunkView,
  CrawlView,
  InlinksView,
  MarksView,
  RecordDetailView,
  RecordView,
  VersionsView,
} from "../../api/views.ts";
import { bytes, count } from "../../core/shown-values.ts";
import { FieldValue } from "../analysis/field-readings.tsx";
import { MarkPanel } from "../analysis/mark-form.tsx";
import { ValueEvidence } from "../analysis/value-evidence.tsx";
import { apiPath, callApi, callApiOrMessage, requestApi } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { recordAddress, replayAddress } from "../parts/addresses.ts";
import { Status, sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { Pairs } from "../parts/pairs.tsx";
import { Chunks } from "./chunks.tsx";
import { DOCUMENT_NAMES } from "./document-names.ts";
import { DocumentPage, isText, type PageJson } from "./document-page.tsx";
import { Inlinks } from "./inlinks.tsx";
import { MediaFacts } from "./media-facts.tsx";
import { FoundUrls, type Outlink, Outlinks, PathFromSeed } from "./record-parts.tsx";
import { Versions } from "./versions.tsx";

/** One record: the decision on it, the path from the seed, and the stored page in each format. */

export const recordPageRoutes = new Hono<Console>();

const TABS = [
  { name: "decision", text: "Decision" },
  { name: "inlinks", text: "In-links" },
  { name: "page", text: "Page" },
  { name: "screenshot", text: "Screenshot" },
  { name: "markdown", text: "Markdown" },
  { name: "chunks", text: "Chunks" },
  { name: "text", text: "Text" },
  { name: "metadata", text: "Metadata" },
  { name: "links", text: "Links" },
  { name: "headers", text: "Headers" },
] as const;
type Tab = (typeof TABS)[number]["name"];
/** The tabs of a record without a stored page. */
const ALWAYS: readonly Tab[] = ["decision", "inlinks"];
/** Those of a media file that is described and not stored. */
const DESCRIBED: readonly Tab[] = [...ALWAYS, "markdown", "chunks", "text", "metadata"];

/** Longer Markdown and text is cut; the API returns all of it. */
const MAX_CHARACTERS = 500_000;
/** Older versions are left out; the command line lists all of them. */
const MAX_VERSIONS = 50;

recordPageRoutes.get("/crawls/:id/record", async (c) => {
  const at = apiPath(c);
  const query = new URLSearchParams({ url: c.req.query("url") ?? "" });
  const [crawl, detail] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<RecordDetailView>(c, "GET", `${at}/record?${query}`),
  ]);
  const { record } = detail;
  const isStored = record.status === "completed";
  const shown = isStored ? (record.file === null ? DESCRIBED : null) : ALWAYS;
  const isPictured = crawl.options.screenshot && record.rendered !== null;
  const tabs = TABS.filter(({ name }) => shown === null || shown.includes(name)).filter(
    ({ name }) => name !== "screenshot" || isPictured,
  );
  const tab = tabs.find(({ name }) => name === c.req.query("tab"))?.name ?? "decision";
  const versionsQuery = new URLSearchParams({ url: record.url, limit: String(MAX_VERSIONS) });
  const versions = tab === "decision" ? await callApi<VersionsView>(c, "GET", `/api/versions?${versionsQuery}`) : null;
  const markQuery = new URLSearchParams({ url: record.url });
  const marks = tab === "decision" ? await callApi<MarksView>(c, "GET", `${at}/marks?${markQuery}`) : null;
  return render(
    c,
    <Page title={record.title || shortUrl(record.url)} c={c} section="crawls" styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="records" />
      <article class="record">
        <h2>{record.title || shortUrl(record.url)}</h2>
        <p class="url">
          <a href={record.url} rel="noreferrer noopener nofollow" target="_blank">
            {record.url}
            <span class="visually-hidden"> (live page, opens in a new tab)</span>
          </a>
        </p>
        <Facts crawl={crawl} record={record} />
        <nav class="tabs" aria-label="Record">
          {tabs.map(({ name, text }) => (
            <a href={recordAddress(crawl.id, record.url, name)} aria-current={name === tab ? "page" : undefined}>
              {text}
            </a>
          ))}
        </nav>
        {tab === "decision" ? (
          <>
            <Decision crawl={crawl} detail={detail} />
            {marks !== null && (
              <MarkPanel crawl={crawl} record={record} marks={marks} mayMark={c.get("access") === "all"} />
            )}
            {versions !== null && versions.versions.length > 0 && <Versions crawl={crawl} view={versions} />}
          </>
        ) : (
          <div class="panel body">{await content(c, at, crawl, record, tab)}</div>
        )}
      </article>
    </Page>,
  );
});

/** `note`: the API's header. */
function describeTemplate(note: string | null): string {
  const [pages, removed] = (note ?? "").match(/\d+/g) ?? [];
  if (pages === undefined || removed === undefined || removed === "0") return "The entire main content.";
  const lines = removed === "1" ? "One line is" : `${removed} lines are`;
  return `${lines} left out, because at least half of the ${pages} pages of this kind have them in common.`;
}

/** The main content as text. `address`: where the API has it. */
async function mainText(c: PageContext, address: string, crawl: CrawlView, url: string, tab: "markdown" | "text") {
  const isRaw = c.req.query("rawText") === "true";
  const answer = await requestApi(c, "GET", `${address}${isRaw ? "&rawText=true" : ""}`);
  if (!answer.ok) return <p class="muted">The page is no longer stored.</p>;
  const text = await answer.text();
  if (text.trim() === "") return <p class="muted">This page has no text.</p>;
  return (
    <>
      <p class="muted small">
        {describeTemplate(answer.headers.get("x-template"))}{" "}
        <a href={recordAddress(crawl.id, url, tab, !isRaw)}>
          {isRaw ? "Leave out what pages have in common" : "Show the raw text"}
        </a>
      </p>
      <pre class="text" tabindex={0}>
        {text.slice(0, MAX_CHARACTERS)}
      </pre>
      {text.length > MAX_CHARACTERS && (
        <p class="muted small">Only the beginning is shown. The API returns all of it.</p>
      )}
    </>
  );
}

async function content(c: PageContext, at: string, crawl: CrawlView, record: RecordView, tab: Tab) {
  const { url, rendered } = record;
  const address = (format?: string) =>
    `${at}/page?${new URLSearchParams({ url, ...(format === undefined ? {} : { format }) })}`;
  const shown = address(rendered === null ? undefined : "drawn");
  switch (tab) {
    case "markdown":
    case "text":
      return mainText(c, address(tab), crawl, url, tab);
    case "chunks": {
      const size = c.req.query("chunkTokens") ?? "";
      const found = await callApiOrMessage<ChunkView[]>(
        c,
        `${address("chunks")}&chunkTokens=${encodeURIComponent(size)}`,
      );
      return typeof found === "string" ? (
        <p class="muted">{found}</p>
      ) : (
        <Chunks crawl={crawl} record={record} chunks={found} size={size} />
      );
    }
    case "metadata": {
      return <Pairs of={withReadableNames(await callApi<Metadata>(c, "GET", address("json")))} />;
    }
    case "inlinks": {
      const query = new URLSearchParams({ url, cursor: c.req.query("cursor") ?? "" });
      const found = await callApiOrMessage<InlinksView>(c, `${apiPath(c)}/inlinks?${query}`);
      return typeof found === "string" ? <p class="muted">{found}</p> : <Inlinks crawl={crawl} of={found} />;
    }
    case "headers":
      return <Pairs of={await callApi<Record<string, string>>(c, "GET", address("headers"))} />;
    case "links":
      return <Outlinks crawl={crawl} links={await callApi<Outlink[]>(c, "GET", address("links"))} />;
    case "screenshot":
      return (
        <>
          <p class="muted small">
            The page as the browser drew it. A long page is cut at 4,000 pixels; if there is no picture, it could not be
            taken.
          </p>
          <img
            class="screenshot"
            alt="The page as the browser drew it"
            src={`${at}/screenshot?${new URLSearchParams({ url })}`}
          />
        </>
      );
    default: {
      if (record.document !== null) {
        const json = await callApi<PageJson>(c, "GET", address("json"));
        const sent = isText(record) ? await requestApi(c, "GET", address("rawHtml")) : null;
        return <DocumentPage json={json} file={address()} sent={(await sent?.text()) ?? null} />;
      }
      return (
        <>
          <p class="muted small">
            {rendered === null ? (
              "The page as the server sent it, without scripts and external resources. "
            ) : (
              <>
                The page as the browser drew it, without scripts and external resources.{" "}
                <a href={address()}>Show what the server sent</a>.{" "}
              </>
            )}
            <a href={shown}>Open it separately</a> or <a href={replayAddress(crawl.id, url)}>replay it</a> with the
            images and styles that the crawl stored.
          </p>
          <iframe title="Stored page" src={shown} sandbox="" loading="lazy" />
        </>
      );
    }
  }
}

interface Metadata extends Record<string, unknown> {
  headings?: { level: number; text: string }[];
  sources?: Record<string, string>;
}

/** The page's metadata with readable names. Its text has a tab of its own. */
function withReadableNames({ text: _, headings, sources = {}, ...metadata }: Metadata): Record<string, unknown> {
  const lines = headings?.map(({ level, text }) => `H${level} ${text}`);
  const named = Object.entries({ ...metadata, headings: lines?.join("\n") ?? "" }).map(([name, value]) => [
    readableName(name),
    typeof value === "number" ? count(value) : value,
  ]);
  const readFrom = Object.entries(sources).map(([name, source]) => `${readableName(name)}: ${source}`);
  return { ...Object.fromEntries(named), "Read from": readFrom.join("\n") };
}

function readableName(name: string): string {
  if (name === "url") return "URL";
  return sentence(name.replaceAll(/[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`));
}

const Facts: FC<{ crawl: CrawlView; record: RecordView }> = ({ crawl, record }) => (
  <dl class="facts">
    <Fact name="Status">
      <Status of={record.status} />
    </Fact>
    {record.httpStatus !== null && <Fact name="HTTP code">{record.httpStatus}</Fact>}
    {record.document !== null && <Fact name="Document">{DOCUMENT_NAMES[record.document]}</Fact>}
    {record.contentType !== null && <Fact name="Type">{record.contentType}</Fact>}
    {record.canonical !== null && (
      <Fact name="Canonical">{record.canonical === record.url ? "this page" : record.canonical}</Fact>
    )}
    {record.language !== null && <Fact name="Language">{record.language}</Fact>}
    {record.bytes !== null && <Fact name="Size">{bytes(record.bytes)}</Fact>}
    <Fact name="Depth">{count(record.depth)}</Fact>
    {record.relevance !== null && <Fact name="Relevance">{record.relevance.toFixed(2)}</Fact>}
    {record.rank !== null && <Fact name="Rank (0 to 255)">{record.rank}</Fact>}
    {record.inLinks !== null && <Fact name="In-links">{count(record.inLinks)}</Fact>}
    {record.label !== null && (
      <Fact name="Label (confidence)">
        {record.label} ({record.confidence?.toFixed(2)})
      </Fact>
    )}
    {record.fetchedAt !== null && (
      <Fact name={record.httpStatus === null ? "Decided" : "Fetched"}>
        <Time at={record.fetchedAt} />
      </Fact>
    )}
    {record.lastmod !== null && (
      <Fact name="Modified (sitemap)">
        <Time at={record.lastmod} />
      </Fact>
    )}
    {record.twinOf !== null && (
      <Fact name="Same text as">
        <a href={recordAddress(crawl.id, record.twinOf)}>{shortUrl(record.twinOf)}</a>
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
        <h2>Decision</h2>
        <p class="sentence">
          {record.status === "completed"
            ? record.file === null
              ? "The file was described by parts of it. It is not stored."
              : "The page was fetched and stored."
            : record.status === "queued"
              ? "The URL is queued."
              : `The page was not stored: ${record.explanation ?? "no reason is recorded"}.`}{" "}
          <a href={why}>Show all rules</a>
        </p>
        {record.shell !== null && (
          <p>
            It looks as if scripts made what it shows, and no browser drew it, so its text may be missing:{" "}
            {record.shell}.
          </p>
        )}
        {record.rendered !== null && <p>A browser drew the page before it was read: {record.rendered}.</p>}
        {record.sha256 !== null && (
          <p class="muted small url">
            SHA-256 of the body: <code>{record.sha256}</code>
          </p>
        )}
      </section>
      {record.fields !== null && <RecordFields fields={record.fields} />}
      {record.extracted !== null && <RecordValues extracted={record.extracted} />}
      {record.media !== null && <MediaFacts record={record} media={record.media} />}
      <div class="columns">
        <section class="panel">
          <h2>Path from the seed</h2>
          <PathFromSeed crawl={crawl} steps={detail.path} />
          <p class="muted small">Each page of the path is the first one on which the next URL was found.</p>
        </section>
        <section class="panel">
          <h2>First found on this page</h2>
          <FoundUrls crawl={crawl} detail={detail} />
        </section>
      </div>
    </>
  );
};

const RecordValues: FC<{ extracted: NonNullable<RecordView["extracted"]> }> = ({ extracted }) => (
  <section class="panel flush" aria-labelledby="values-title">
    <div class="panel-head">
      <h2 id="values-title">Values by {extracted.model}</h2>
      {extracted.problem !== null && <p class="problem">There are none: {extracted.problem}.</p>}
    </div>
    {extracted.problem === null && <ValueEvidence extracted={extracted} />}
  </section>
);

const RecordFields: FC<{ fields: NonNullable<RecordView["fields"]> }> = ({ fields }) => (
  <section class="panel" aria-labelledby="fields-title">
    <h2 id="fields-title">Fields</h2>
    <dl class="pairs">
      {Object.entries(fields).map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <FieldValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

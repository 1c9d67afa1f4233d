import type { FC } from "hono/jsx";
import type { FormattedRecordView, RecordView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import type { DocumentKind } from "../../media/kind/document-kinds.ts";
import { Pairs } from "../parts/pairs.tsx";

/** A stored document that is no HTML: what it says of itself, its outline, and its text as the server sent it. */

export type PageJson = Exclude<FormattedRecordView["json"], undefined>;

/** Kinds whose bytes are text. */
const TEXTS: ReadonlySet<DocumentKind> = new Set(["csv", "feed", "json", "xml"]);
/** Longer text is cut; the API returns all of it. */
const MAX_CHARACTERS = 100_000;
const MAX_HEADINGS = 100;

export function isText(record: RecordView): boolean {
  return record.document !== null && TEXTS.has(record.document);
}

interface DocumentPageProps {
  json: PageJson;
  /** The text as the server sent it; null for other bytes. */
  sent: string | null;
  /** The address of the bytes. */
  file: string;
}

export const DocumentPage: FC<DocumentPageProps> = ({ json, sent, file }) => (
  <>
    <Pairs
      of={{
        Title: json.title,
        Author: json.author,
        Published: json.publishedAt,
        Modified: json.modifiedAt,
        Language: json.language,
        Pages: json.pageCount === undefined ? null : count(json.pageCount),
        Words: count(json.wordCount),
      }}
    />
    {json.headings.length > 0 && <Outline headings={json.headings} />}
    <p class="muted small">
      <a href={file}>{sent === null ? "Download the file" : "Open the file"}</a> as the server sent it. Its text is
      under Markdown and Text.
    </p>
    {sent !== null && (
      <>
        <pre class="text" tabindex={0}>
          {sent.slice(0, MAX_CHARACTERS)}
        </pre>
        {sent.length > MAX_CHARACTERS && <p class="muted small">Only the beginning is shown.</p>}
      </>
    )}
  </>
);

const Outline: FC<{ headings: PageJson["headings"] }> = ({ headings }) => (
  <section class="outline">
    <h3>Outline</h3>
    <ul>
      {headings.slice(0, MAX_HEADINGS).map(({ level, text }) => (
        <li class={`level-${level}`}>{text}</li>
      ))}
    </ul>
    {headings.length > MAX_HEADINGS && (
      <p class="muted small">
        Only the first {count(MAX_HEADINGS)} of {count(headings.length)} headings are shown.
      </p>
    )}
  </section>
);

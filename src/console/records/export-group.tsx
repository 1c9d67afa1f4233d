import type { FC } from "hono/jsx";
import type { BackgroundList, CrawlView } from "../../api/views.ts";
import {
  EXPORT_GROUPS,
  type ExportFormat,
  type ExportGroup,
  type ExportName,
  exportFormat,
  formatsIn,
} from "../../crawl/export-table.ts";
import { Submit } from "../parts/controls.tsx";

/** The formats of an export that are for one purpose, with what each is. */

interface GroupProps {
  group: ExportGroup;
  crawl: CrawlView;
  /** A crawl without packs has no archives, and one without an analysis no graph. */
  has: Record<NonNullable<ExportFormat["needs"]>, boolean>;
  long: BackgroundList["long"];
  mayStart: boolean;
}

export const FormatGroup: FC<GroupProps> = ({ group, crawl, has, long, mayStart }) => {
  const { title, about } = EXPORT_GROUPS[group];
  const all = formatsIn(group).filter((name) => exportFormat(name).from !== "delta" || isWatched(crawl));
  const there = all.filter((name) => isThere(exportFormat(name), has));
  const [missing] = all.filter((name) => !isThere(exportFormat(name), has));
  return (
    <section class="panel" id={`for-${group}`}>
      <h2>{title}</h2>
      <p class="muted small">{about}</p>
      <ul class="records">
        {there.map((name) => (
          <li>
            {long.some((each) => each === name) ? (
              <LongExport crawl={crawl} format={name} label={exportFormat(name).label} mayStart={mayStart} />
            ) : (
              <Download crawl={crawl} name={name} />
            )}
            <p class="muted small">{exportFormat(name).about}</p>
          </li>
        ))}
        {missing !== undefined && (
          <li>
            <Needs crawl={crawl} needs={exportFormat(missing).needs ?? "packs"} />
          </li>
        )}
      </ul>
    </section>
  );
};

function isWatched({ watching }: CrawlView): boolean {
  return watching !== null && watching.since !== null;
}

function isThere({ needs }: ExportFormat, has: GroupProps["has"]): boolean {
  return needs === undefined || has[needs];
}

const Download: FC<{ crawl: CrawlView; name: ExportName }> = ({ crawl, name }) => {
  const { label, from } = exportFormat(name);
  const at = `/api/crawls/${crawl.id}`;
  if (from === "command")
    return (
      <p>
        {label}: <code>orbweaver export {crawl.id} --format folder --out DIR</code>
      </p>
    );
  if (from === undefined)
    return (
      <p>
        <a href={`${at}/export?format=${name}`} download>
          {label}
        </a>
      </p>
    );
  const isOfChunks = name === "chunk-delta";
  return (
    <p>
      <a href={`${at}/delta${isOfChunks ? "?of=chunks" : ""}`} download={`${name}.jsonl`}>
        {label}
      </a>
      . Its last line has a cursor, and{" "}
      <code>
        orbweaver export {crawl.id} {isOfChunks && "--format chunk-delta "}--since CURSOR
      </code>{" "}
      exports what became of them since.
    </p>
  );
};

/** Why the formats of a group are not there, and what makes them. */
const Needs: FC<{ crawl: CrawlView; needs: NonNullable<ExportFormat["needs"]> }> = ({ crawl, needs }) => (
  <p>
    {needs === "graph" ? (
      <>
        An <a href={`/crawls/${crawl.id}/report`}>analysis</a> of the crawl makes it.
      </>
    ) : (
      <>
        This crawl stores its pages as files, so it has no WARC or WACZ. A crawl with <code>--store warc</code> has
        both.
      </>
    )}
  </p>
);

/** A format that one request may not read: the file is made first. */
const LongExport: FC<{ crawl: CrawlView; format: string; label: string; mayStart: boolean }> = ({
  crawl,
  format,
  label,
  mayStart,
}) => {
  if (format === "sitemap")
    return (
      <p>
        {label}: more pages than one file may list. <code>orbweaver export {crawl.id} --format sitemap --out FILE</code>{" "}
        writes several and an index.
      </p>
    );
  return (
    <form method="post" action={`/crawls/${crawl.id}/export`}>
      <input type="hidden" name="format" value={format} />
      <p>
        {label}: too long for one request, so the file is made first. {mayStart && <Submit>Make the file</Submit>}
      </p>
    </form>
  );
};

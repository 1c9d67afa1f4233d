import type { FC } from "hono/jsx";
import type { CrawlView, VersionsView } from "../../api/views.ts";
import { bytes, count } from "../../core/shown-values.ts";
import { diffAddress, recordAddress } from "../parts/addresses.ts";
import { Time } from "../parts/numbers.tsx";
import { Table } from "../parts/table.tsx";

/** The versions of a record's URL over all crawls, with links to their replays. */

interface VersionsProps {
  /** The crawl of the record. */
  crawl: CrawlView;
  view: VersionsView;
}

export const Versions: FC<VersionsProps> = ({ crawl, view: { url, versions, cursor } }) => (
  <section class="panel" id="versions">
    <h2>Versions</h2>
    <Table
      caption="Versions of this URL"
      columns={[
        { text: "Fetched", cell: ({ time, replay }) => <Replayed address={replay} time={time} /> },
        {
          text: "Crawl",
          cell: (version) =>
            version.crawl === crawl.id ? (
              "This crawl"
            ) : (
              <a href={recordAddress(version.crawl, url)}>{version.crawl.slice(0, 8)}</a>
            ),
        },
        { text: "Code", class: "number", cell: ({ httpStatus }) => httpStatus },
        { text: "Size", class: "number mid", cell: (version) => (version.bytes === null ? "–" : bytes(version.bytes)) },
        { text: "Content", cell: (version) => <Change crawl={crawl} url={url} version={version} of={versions} /> },
      ]}
      rows={versions}
      keyOf={({ crawl: id, time }) => `${id} ${time}`}
    />
    {cursor !== null && (
      <p class="muted small">
        Only the newest {count(versions.length)} are shown. <code>orbweaver versions</code> lists all of them.
      </p>
    )}
  </section>
);

type Version = VersionsView["versions"][number];

interface ChangeProps {
  crawl: CrawlView;
  url: string;
  version: Version;
  /** All versions, the newest first. */
  of: readonly Version[];
}

/** Leads to the difference where the crawl keeps both versions. */
const Change: FC<ChangeProps> = ({ crawl, url, version, of }) => {
  const { changed, time } = version;
  if (changed === null) return <>First</>;
  if (!changed) return <>Same</>;
  const isKept = (other: Version | undefined) => other?.crawl === crawl.id && other.replay !== null;
  const earlier = of.slice(of.indexOf(version) + 1).find(isKept);
  if (!isKept(version) || earlier === undefined) return <>Changed</>;
  return (
    <a href={diffAddress(crawl.id, url, time, false)}>
      Changed<span class="visually-hidden"> (difference)</span>
    </a>
  );
};

const Replayed: FC<{ address: string | null; time: string }> = ({ address, time }) =>
  address === null ? (
    <Time at={time} />
  ) : (
    <a href={address}>
      <Time at={time} />
      <span class="visually-hidden"> (replay)</span>
    </a>
  );

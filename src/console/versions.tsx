import type { FC } from "hono/jsx";
import type { CrawlView, VersionsView } from "../api/views.ts";
import { recordAddress } from "./addresses.ts";
import { bytes, count, Time } from "./numbers.tsx";
import { Table } from "./table.tsx";

/** The versions of a record's URL over all crawls, with links to their replays. */

interface VersionsProps {
  /** The crawl of the record. */
  crawl: CrawlView;
  view: VersionsView;
}

export const Versions: FC<VersionsProps> = ({ crawl, view: { url, versions, cursor } }) => (
  <section class="panel">
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
        { text: "Content", cell: ({ changed }) => (changed === null ? "First" : changed ? "Changed" : "Same") },
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

const Replayed: FC<{ address: string | null; time: string }> = ({ address, time }) =>
  address === null ? (
    <Time at={time} />
  ) : (
    <a href={address}>
      <Time at={time} />
      <span class="visually-hidden"> (replay)</span>
    </a>
  );

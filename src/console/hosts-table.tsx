import type { FC } from "hono/jsx";
import type { CrawlView, HostView } from "../api/views.ts";
import type { TreeLevel, TreeNode } from "../crawl/url-tree.ts";
import { recordsAddress } from "./addresses.ts";
import { bytes, count, duration, plural } from "./numbers.tsx";
import { type Column, Table } from "./table.tsx";

/** Hosts as rows: those that a crawl is busy with while it runs, and all that it has come upon. */

export const BusyHosts: FC<{ hosts: HostView[] }> = ({ hosts }) => (
  <section class="panel" data-key="hosts">
    <h2>Hosts</h2>
    <Table
      caption="Hosts of the crawl, and what each waits for"
      columns={[
        { text: "Host", class: "url", cell: ({ host }) => host },
        { text: "Queued", class: "number", cell: ({ queued }) => count(queued) },
        ...waitColumns<HostView>((host) => host, { rest: "number", why: "" }),
      ]}
      rows={hosts}
      keyOf={({ host }) => host}
    />
  </section>
);

interface HostsTableProps {
  crawl: CrawlView;
  /** The uppermost level of the tree. */
  origins: TreeLevel;
  hosts: HostView[];
}

export const HostsTable: FC<HostsTableProps> = ({ crawl, origins, hosts }) => {
  const waits = new Map(hosts.map((host) => [host.host, host]));
  const columns: Column<TreeNode>[] = [
    { text: "Host", class: "url", cell: ({ segment }) => <Origin crawl={crawl} origin={segment} /> },
    { text: "URLs", class: "number", cell: ({ urls }) => count(urls) },
    { text: "Pages", class: "number mid", cell: ({ completed }) => count(completed) },
    { text: "Size", class: "number mid", cell: (node) => bytes(node.bytes) },
    ...waitColumns<TreeNode>(({ segment }) => waits.get(new URL(segment).hostname), {
      rest: "number wide",
      why: "wide",
    }),
    {
      text: "robots.txt",
      cell: ({ segment: origin }) => (
        <a href={`/crawls/${crawl.id}/hosts?${new URLSearchParams({ origin })}#robots`}>
          Read it
          <span class="visually-hidden"> for {origin}</span>
        </a>
      ),
    },
  ];
  const { rest } = origins;
  return (
    <section class="panel">
      <h2>Hosts</h2>
      {origins.children.length === 0 ? (
        <p class="muted">No URL is known yet, and so no host.</p>
      ) : (
        <Table caption="Hosts of the crawl" columns={columns} rows={origins.children} />
      )}
      {rest !== null && (
        <p class="muted small after">
          and {plural(rest.children, "other")}, with {plural(rest.urls, "URL")}
        </p>
      )}
    </section>
  );
};

/** http is the exception, so it is said. */
const Origin: FC<{ crawl: CrawlView; origin: string }> = ({ crawl, origin }) => {
  const { host, protocol } = new URL(origin);
  return <a href={recordsAddress(crawl, { host })}>{protocol === "http:" ? `http://${host}` : host}</a>;
};

function waitColumns<Row>(
  waitOf: (row: Row) => HostView | undefined,
  classes: { rest: string; why: string },
): Column<Row>[] {
  return [
    {
      text: "Rest",
      class: classes.rest,
      cell: (row) => {
        const wait = waitOf(row);
        return wait === undefined ? "–" : duration(wait.delayMs / 1000);
      },
    },
    {
      text: "Waits for",
      class: classes.why,
      cell: (row) => {
        const wait = waitOf(row);
        if (wait === undefined) return "–";
        return (
          <>
            {wait.why} {wait.failures > 0 && <span class="tag">{plural(wait.failures, "failure")} in a row</span>}
          </>
        );
      },
    },
  ];
}

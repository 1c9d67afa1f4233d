import type { FC } from "hono/jsx";
import type { CrawlView, HostView } from "../../api/views.ts";
import { bytes, count, duration, plural } from "../../core/shown-values.ts";
import type { TreeLevel, TreeNode } from "../../crawl/page/url-tree.ts";
import { recordsAddress } from "../parts/addresses.ts";
import { type Column, Table } from "../parts/table.tsx";

/** The tables of hosts: those that a running crawl is busy with, and all that a crawl has found. */

export const BusyHosts: FC<{ hosts: HostView[] }> = ({ hosts }) => (
  <section class="panel" data-key="hosts">
    <h2>Hosts</h2>
    <Table
      caption="Hosts of the crawl and their delays"
      columns={[
        { text: "Host", class: "url", cell: ({ host }) => host },
        { text: "Queued", class: "number", cell: ({ queued }) => count(queued) },
        ...delayColumns<HostView>((host) => host, { delay: "number", why: "" }),
      ]}
      rows={hosts}
      keyOf={({ host }) => host}
    />
  </section>
);

interface HostsTableProps {
  crawl: CrawlView;
  /** The top level of the tree. */
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
    ...delayColumns<TreeNode>(({ segment }) => waits.get(new URL(segment).hostname), {
      delay: "number wide",
      why: "wide",
    }),
    {
      text: "robots.txt",
      cell: ({ segment: origin }) => (
        <a href={`/crawls/${crawl.id}/hosts?${new URLSearchParams({ origin })}#robots`}>
          View<span class="visually-hidden"> robots.txt of {origin}</span>
        </a>
      ),
    },
  ];
  const { rest } = origins;
  return (
    <section class="panel">
      <h2>Hosts</h2>
      {origins.children.length === 0 ? (
        <p class="muted">No hosts yet.</p>
      ) : (
        <Table caption="Hosts of the crawl" columns={columns} rows={origins.children} />
      )}
      {rest !== null && (
        <p class="muted small after">
          {plural(rest.children, "more host")} with {plural(rest.urls, "URL")}
        </p>
      )}
    </section>
  );
};

/** Shows the scheme only for http, the exception. */
const Origin: FC<{ crawl: CrawlView; origin: string }> = ({ crawl, origin }) => {
  const { host, protocol } = new URL(origin);
  return <a href={recordsAddress(crawl, { host })}>{protocol === "http:" ? `http://${host}` : host}</a>;
};

function delayColumns<Row>(
  waitOf: (row: Row) => HostView | undefined,
  classes: { delay: string; why: string },
): Column<Row>[] {
  return [
    {
      text: "Delay",
      class: classes.delay,
      cell: (row) => {
        const wait = waitOf(row);
        return wait === undefined ? "–" : duration(wait.delayMs / 1000);
      },
    },
    {
      text: "Reason",
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

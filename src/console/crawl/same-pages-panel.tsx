import type { FC } from "hono/jsx";
import type { HostView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { Table } from "../parts/table.tsx";

/** The parts of URLs that never change the page, as a crawl has learned them. Nothing if it has learned none. */
export const SamePagesPanel: FC<{ hosts: HostView[] }> = ({ hosts }) => {
  const rules = hosts.flatMap(({ host, samePages }) => samePages.map((rule) => ({ host, ...rule })));
  if (rules.length === 0) return null;
  return (
    <section class="panel" id="same-pages">
      <h2>Same pages</h2>
      <Table
        caption="Parts of URLs that never change the page"
        columns={[
          { text: "Host", class: "url", cell: ({ host, scope }) => `${host}${scope}` },
          { text: "Part", cell: ({ part }) => <code>{part}</code> },
          { text: "State", cell: ({ state }) => state },
          { text: "Same", class: "number", cell: ({ same }) => count(same) },
          { text: "Different", class: "number mid", cell: ({ different }) => count(different) },
          { text: "Confidence", class: "number wide", cell: ({ confidence }) => confidence.toFixed(2) },
          { text: "Samples", class: "number mid", cell: ({ samples }) => count(samples) },
          {
            text: "Example",
            class: "url wide",
            cell: ({ withdrawnBy, examples }) => withdrawnBy ?? examples[0]?.[0] ?? "–",
          },
        ]}
        rows={rules}
      />
      <p class="muted small after">
        URLs with a part that is in use are refused as same-page, if the URL without it is known.
      </p>
    </section>
  );
};

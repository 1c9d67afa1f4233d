import type { FC } from "hono/jsx";
import type { MonthView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { recordAddress } from "../parts/addresses.ts";
import { sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { Table } from "../parts/table.tsx";

/** What differed and was told of no page, with the evidence. */

type Held = MonthView["heldBack"][number];

const REASONS: Record<Held["why"], string> = {
  noise: "Noise: two looks, moments apart, or two pages of other hours, found different texts",
  everywhere: "It came to most pages of the host at once",
  undecided: "Undecided: the next visits of other pages show whether all pages have it",
};

export const HeldBack: FC<{ id: string; month: MonthView }> = ({ id, month: { heldBack, isHeldBackCut } }) => (
  <section class="panel" id="held-back">
    <h2>What was held back, and why</h2>
    {heldBack.length === 0 ? (
      <p class="muted">Nothing was held back in these days.</p>
    ) : (
      <Table
        caption="Held back"
        columns={[
          { text: "What", class: "of-change", cell: (held) => <What held={held} /> },
          { text: "Why", cell: (held) => <Why held={held} /> },
          {
            text: "Such as",
            class: "url mid",
            cell: ({ host, url }) => (url === null ? host : <a href={recordAddress(id, url)}>{shortUrl(url)}</a>),
          },
          { text: "Last seen", class: "of-fetched mid", cell: ({ at }) => <Time at={at} /> },
        ]}
        rows={heldBack}
      />
    )}
    {isHeldBackCut && <p class="muted small after">The first hosts only: this watch has more.</p>}
  </section>
);

const What: FC<{ held: Held }> = ({ held: { place, before, after } }) => (
  <span class="diff">
    {sentence(place)}
    <span class="why small">
      {before !== null && <del>{before}</del>} {after !== null && <ins>{after}</ins>}
    </span>
  </span>
);

const Why: FC<{ held: Held }> = ({ held: { why, pages, others } }) => (
  <>
    {REASONS[why]}
    <span class="why muted small">
      {others === null
        ? `Seen on ${plural(pages, "page")}${pages >= 2 ? ", so it counts for all pages of the host" : ""}`
        : `${plural(pages, "page")} had it, and ${count(Math.round(others))} did not`}
    </span>
  </>
);

import type { FC } from "hono/jsx";
import type { FieldsView } from "../../api/views.ts";
import { Submit } from "../parts/controls.tsx";
import { type Column, Table } from "../parts/table.tsx";

/** What fields of a page may be read from: a box to choose each, and a name for it. */

type Proposal = FieldsView["proposals"][number];

export const FieldProposals: FC<{ proposals: Proposal[] }> = ({ proposals }) =>
  proposals.length === 0 ? (
    <p class="panel-foot muted">The page has no element with a text of its own.</p>
  ) : (
    <>
      <Table caption="What fields may be read from" columns={COLUMNS} rows={proposals.map(numbered)} />
      <div class="panel-foot">
        <div class="field">
          <label for="group">Pages</label>
          <input
            id="group"
            name="group"
            type="text"
            spellcheck={false}
            placeholder="/products/**"
            aria-describedby="group-help"
          />
          <p class="help" id="group-help">
            A glob of the pages to read the chosen fields from. Empty: all pages of the crawl.
          </p>
        </div>
        <Submit class="primary">Add the chosen fields and read them</Submit>
      </div>
    </>
  );

type Numbered = Proposal & { number: number };

function numbered(proposal: Proposal, number: number): Numbered {
  return { ...proposal, number };
}

const COLUMNS: Column<Numbered>[] = [
  {
    text: "Text",
    cell: ({ text, number, count }) => (
      <label class="check">
        <input type="checkbox" name="pick" value={String(number)} />
        <span>
          {text}
          {count > 1 && <span class="muted small"> and {count - 1} more</span>}
        </span>
      </label>
    ),
  },
  {
    text: "Name",
    cell: ({ name, number, text }) => (
      <input
        class="short"
        type="text"
        name={`name-${number}`}
        value={name}
        spellcheck={false}
        aria-label={`Name of the field for ${text.slice(0, 60)}`}
      />
    ),
  },
  {
    text: "Rule",
    class: "mid",
    cell: ({ rule, number, place }) => (
      <>
        <code>{rule.schema ?? rule.selector}</code>{" "}
        <span class="muted small">
          {place}
          {rule.as === undefined ? "" : `, as ${rule.as}`}
        </span>
        <input type="hidden" name={`rule-${number}`} value={JSON.stringify(rule)} />
      </>
    ),
  },
];

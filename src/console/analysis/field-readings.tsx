import type { FC } from "hono/jsx";
import type { FieldsView } from "../../api/views.ts";
import { sentence } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";

/** Fields of a page with their values, and what gave each value or why there is none. */

type Reading = FieldsView["fields"][number];

export const FieldReadings: FC<{ fields: Reading[] }> = ({ fields }) =>
  fields.length === 0 ? (
    <p class="panel-foot muted">No group of the rules is for this URL.</p>
  ) : (
    <Table caption="Fields of this page" columns={COLUMNS} rows={fields} />
  );

const COLUMNS: Column<Reading>[] = [
  { text: "Field", class: "of-field", cell: ({ name }) => <code>{name}</code> },
  { text: "Value", cell: ({ value }) => <FieldValue value={value} /> },
  {
    text: "From",
    cell: ({ from, by, note, problem }) => (
      <>
        {by !== null && (
          <>
            {WORDS[from ?? "selector"]} <code>{by}</code>
          </>
        )}
        {problem !== null && <span class="problem">{sentence(problem)}</span>}
        {note !== null && <span class="why muted small">{sentence(note)}</span>}
      </>
    ),
  },
];

const WORDS: Record<NonNullable<Reading["from"]>, string> = {
  "json-ld": "JSON-LD",
  microdata: "Microdata",
  meta: "Meta element",
  selector: "Selector",
};

export const FieldValue: FC<{ value: Reading["value"] }> = ({ value }) => {
  if (value === null) return <span class="muted">none</span>;
  if (!Array.isArray(value)) return <>{String(value)}</>;
  return (
    <ul class="plain">
      {value.map((item) => (
        <li>{item}</li>
      ))}
    </ul>
  );
};

import type { FC } from "hono/jsx";
import type { ExtractedView } from "../../api/views.ts";
import { valueAt } from "../../core/formats/json-pointer.ts";
import { sentence } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";

/** The values that a model found in a page, each with its words, and the page with these words marked. */

type Evidence = ExtractedView["evidence"][number];

interface Value extends Evidence {
  value: unknown;
}

export const ValueEvidence: FC<{ extracted: ExtractedView }> = ({ extracted: { values, evidence, cut, model } }) => (
  <>
    {evidence.length === 0 ? (
      <p class="panel-foot muted">{model} found no values.</p>
    ) : (
      <Table
        caption="Values of this page"
        columns={COLUMNS}
        rows={evidence.map((each) => ({ ...each, value: valueAt(values, each.path) }))}
      />
    )}
    {cut !== null && (
      <p class="panel-foot muted small">
        {model} saw the first {cut.sent.toLocaleString("en")} of {cut.of.toLocaleString("en")} characters.
      </p>
    )}
  </>
);

const COLUMNS: Column<Value>[] = [
  { text: "Value", class: "of-field", cell: ({ path }) => <code>{path.slice(1) || "value"}</code> },
  { text: "", head: "Is", cell: ({ value }) => <>{typeof value === "string" ? value : JSON.stringify(value)}</> },
  {
    text: "Words of the page",
    cell: ({ words, problem, in: part }) =>
      words === null ? (
        <span class="problem">No evidence: {problem === null ? "" : sentence(problem).toLowerCase()}</span>
      ) : (
        <>
          <q>{words}</q>
          {part === "title" && <span class="muted"> in the title</span>}
        </>
      ),
  },
];

/** What the model saw, with the evidence marked. */
export const MarkedPage: FC<{ text: string; evidence: readonly Evidence[] }> = ({ text, evidence }) => (
  <pre class="marked-page" tabindex={0}>
    {markedParts(text, evidence).map(({ part, isMarked }) => (isMarked ? <mark>{part}</mark> : part))}
  </pre>
);

/** Places that overlap are marked together. Words that a rule has read have no place: the first is marked. */
function markedParts(text: string, evidence: readonly Evidence[]): { part: string; isMarked: boolean }[] {
  const places = evidence.flatMap(({ at, words, in: where }) => {
    if (words === null || words === "" || where === "title") return [];
    const from = where === "rule" ? text.indexOf(words) : (at ?? -1);
    return from === -1 ? [] : [{ from, to: from + words.length }];
  });
  const parts: { part: string; isMarked: boolean }[] = [];
  let end = 0;
  for (const { from, to } of places.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (to <= end) continue;
    const start = Math.max(from, end);
    parts.push({ part: text.slice(end, start), isMarked: false }, { part: text.slice(start, to), isMarked: true });
    end = to;
  }
  parts.push({ part: text.slice(end), isMarked: false });
  return parts.filter(({ part }) => part !== "");
}

import type { Child } from "hono/jsx";

/** Rows that are alike, as a table: what a column is, its head and its cells, stands in one place. */

export interface Column<Row> {
  /** Names the column; the first one's cells name their rows. */
  text: string;
  /** What stands in the head instead of the text. */
  head?: Child;
  sorted?: "ascending" | "descending" | undefined;
  /** `number` stands to the right; `wide` goes first where there is less room, then `mid`. */
  class?: string;
  cell(row: Row): Child;
}

interface TableProps<Row> {
  /** For those who do not see it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  class?: string;
  /** Tells a row from the others, so that it is still the same one when the page is brought up to date. */
  keyOf?: (row: Row) => string;
}

export function Table<Row>({ caption, columns, rows, class: style, keyOf }: TableProps<Row>) {
  return (
    <div class="table">
      <table class={style}>
        <caption class="visually-hidden">{caption}</caption>
        <colgroup>
          {columns.map((column) => (
            <col class={column.class} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={column.class} aria-sort={column.sorted}>
                {column.head ?? column.text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr data-key={keyOf?.(row)}>
              {columns.map((column, i) =>
                i === 0 ? (
                  <th scope="row" class={column.class}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td class={column.class}>{column.cell(row)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

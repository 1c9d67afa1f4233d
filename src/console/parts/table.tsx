import type { Child } from "hono/jsx";

/** A table from column definitions. */

export interface Column<Row> {
  /** The column's name. The cells of the first column are row headers. */
  text: string;
  /** Replaces the text in the head. */
  head?: Child;
  sorted?: "ascending" | "descending" | undefined;
  /** `number` aligns right. Narrow screens hide `wide` columns first, then `mid`. */
  class?: string;
  cell(row: Row): Child;
}

interface TableProps<Row> {
  /** For screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  class?: string;
  /** The key by which a live update finds the row again. */
  keyOf?: (row: Row) => string;
}

export function Table<Row>({ caption, columns, rows, class: style, keyOf }: TableProps<Row>) {
  return (
    // Narrow screens scroll it, also by keyboard.
    <section class="table" tabindex={0} aria-label={caption}>
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
    </section>
  );
}

import type { FC } from "hono/jsx";
import { count } from "../../core/shown-values.ts";

/** Counts by name, largest first, each with a bar that shows its share of the largest. */

interface Part {
  name: string;
  count: number;
  /** Whether the bar has the colour of errors. */
  isBad?: boolean;
  title?: string;
  /** The page that lists them. */
  href?: string;
}

interface BreakdownProps {
  title: string;
  of: string;
  parts: Part[];
  /** Keeps the order of `parts` instead of sorting by count. */
  inOrder?: boolean;
}

const MAX_PARTS = 8;
/** With `inOrder`: more, because cutting an ordered list loses its meaning. */
const MAX_PARTS_IN_ORDER = 14;

export const Breakdown: FC<BreakdownProps> = ({ title, of, parts, inOrder = false }) => {
  const counted = parts.filter((part) => part.count > 0);
  const sorted = inOrder ? counted : counted.toSorted((a, b) => b.count - a.count);
  const max = inOrder ? MAX_PARTS_IN_ORDER : MAX_PARTS;
  const shown = sorted.slice(0, max);
  const rest = sorted.slice(max);
  const largest = Math.max(1, ...counted.map((part) => part.count));
  if (counted.length === 0) return null;
  return (
    <div class="panel breakdown" data-key={title}>
      <table>
        <caption>
          <h2>{title}</h2>
        </caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{of}</th>
            <th scope="col">URLs</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((part) => (
            <tr class={part.isBad ? "bad" : undefined} data-key={part.name}>
              <th scope="row" title={part.title}>
                <svg aria-hidden="true">
                  <rect width={`${((part.count / largest) * 100).toFixed(1)}%`} height="100%" rx="4" />
                </svg>
                <span>{part.href === undefined ? part.name : <a href={part.href}>{part.name}</a>}</span>
              </th>
              <td class="number">{count(part.count)}</td>
            </tr>
          ))}
          {rest.length > 0 && (
            <tr>
              <th scope="row">
                <span class="muted">{count(rest.length)} others</span>
              </th>
              <td class="number">{count(rest.reduce((sum, part) => sum + part.count, 0))}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
};

import type { FC } from "hono/jsx";
import { count } from "./numbers.tsx";

/** Counts by name, most first, each with a bar behind it for its share of the largest. */

export interface Part {
  name: string;
  count: number;
  /** What is drawn in the colour of what went wrong. */
  isBad?: boolean;
  title?: string;
  /** Where they are shown. */
  href?: string;
}

interface BreakdownProps {
  title: string;
  of: string;
  parts: Part[];
  /** As they come, where their names have an order of their own. */
  inOrder?: boolean;
}

const MOST = 8;
/** Of an order that would be broken off. */
const MOST_IN_ORDER = 14;

export const Breakdown: FC<BreakdownProps> = ({ title, of, parts, inOrder = false }) => {
  const known = parts.filter((part) => part.count > 0);
  const sorted = inOrder ? known : known.toSorted((a, b) => b.count - a.count);
  const room = inOrder ? MOST_IN_ORDER : MOST;
  const shown = sorted.slice(0, room);
  const rest = sorted.slice(room);
  const most = Math.max(1, ...known.map((part) => part.count));
  if (known.length === 0) return null;
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
                  <rect width={`${((part.count / most) * 100).toFixed(1)}%`} height="100%" rx="4" />
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

import type { MonthView } from "../../api/views.ts";
import { minuteOf, plural } from "../../core/shown-values.ts";

/** What a watch held back in the last thirty days, for people: why, and by what evidence. */

const MAX_SHOWN = 5;

type Held = MonthView["heldBack"][number];

const REASONS: Record<Held["why"], string> = {
  noise: "as noise",
  everywhere: "as a change of most pages",
  undecided: "until other pages show whether all have it",
};

/** No line if nothing was held back. */
export function describeHeldBack({ heldBack }: Pick<MonthView, "heldBack">): string[] {
  if (heldBack.length === 0) return [];
  const counts = Object.entries(REASONS).flatMap(([why, words]) => {
    const n = heldBack.filter((held) => held.why === why).length;
    return n === 0 ? [] : [`${n} ${words}`];
  });
  return [
    `  Held back in 30 days: ${counts.join(", ")}.`,
    ...heldBack.slice(0, MAX_SHOWN).map((held) => `    ${minuteOf(held.at)}  ${describe(held)}`),
  ];
}

function describe({ why, place, before, after, pages, host, url }: Held): string {
  const texts = [before, after].flatMap((text) => (text === null ? [] : [`"${text}"`]));
  const where = why === "noise" ? (url ?? host) : `${plural(pages, "page")} of ${host}`;
  return `${place}: ${texts.join(why === "noise" ? " and then " : ", now ")} (${where})`;
}

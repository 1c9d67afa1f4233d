import type { Mistake } from "../api/api-problem.ts";
import { crawlFields } from "./crawl-fields.ts";
import type { Problems } from "./field.tsx";
import { count, sentence } from "./numbers.tsx";

/** Turns API errors into messages beside the form fields. */

/** The fields above the groups. */
const ABOVE: Record<string, Range> = {
  url: { kind: "text" },
  limit: { kind: "integer", min: 1, max: 10_000_000 },
};

interface Range {
  kind: string;
  min?: number;
  max?: number;
}

/** Messages by the field at fault; "" holds those that belong to no field. */
export function problemsByField(mistakes: Mistake[]): Problems {
  const fields = crawlFields();
  const problems: Problems = {};
  for (const { path = "", message } of mistakes) {
    // The explain request contains the crawl.
    const at = path.replace(/^crawl\./, "");
    const field = fields.find(({ name }) => at === name || at.startsWith(`${name}.`));
    const name = field?.name ?? (at in ABOVE ? at : "");
    const range = field ?? ABOVE[at] ?? { kind: "text" };
    const text = rangeOf(range) ?? sentence(message.replace(`${path}: `, ""));
    problems[name] = [...(problems[name] ?? []), text];
  }
  return problems;
}

function rangeOf({ kind, min, max }: Range): string | undefined {
  if (kind === "date") return "A date in the past, such as 2026-01-31.";
  if (kind === "interval") return "A time of at least one minute, such as 30m, 12h, 7d or 2w.";
  if (kind !== "integer" && kind !== "number") return undefined;
  const what = kind === "integer" ? "A whole number" : "A number";
  return min === undefined || max === undefined ? `${what}.` : `${what} from ${count(min)} to ${count(max)}.`;
}

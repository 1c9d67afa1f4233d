import type { Mistake } from "../../api/requests/api-problem.ts";
import { count } from "../../core/shown-values.ts";
import type { Option, Unit } from "../../crawl/options/option.ts";
import { OPTION_ROWS } from "../../crawl/options/option-table.ts";
import { writeNumber } from "../../crawl/options/written-number.ts";
import type { Problems } from "./field.tsx";
import { sentence } from "./numbers.tsx";

/** Turns API errors into messages beside the form fields. */

/** Messages by the field at fault; "" holds those that belong to no field. `others`: fields that are no options. */
export function problemsByField(mistakes: Mistake[], others: readonly string[] = []): Problems {
  const problems: Problems = {};
  for (const { path = "", message } of mistakes) {
    // The explain request contains the crawl.
    const at = path.replace(/^crawl\./, "");
    const [name = "", row] =
      OPTION_ROWS.find(([each, { label }]) => label !== undefined && `${at}.`.startsWith(`${each}.`)) ??
      (others.includes(at) ? [at] : []);
    const text = (row && rangeOf(row)) ?? sentence(message.replace(`${path}: `, ""));
    problems[name] = [...(problems[name] ?? []), text];
  }
  return problems;
}

const WHAT: Partial<Record<Unit, string>> = {
  ms: "Seconds",
  s: "A time",
  bytes: "A size",
  "bytes/s": "A size",
};

function rangeOf({ kind, unit, min, max }: Option): string | undefined {
  if (kind === "date") return "A date in the past, such as 2026-01-31.";
  if (kind === "interval") return "A time of at least one minute, such as 30m, 12h, 7d or 2w.";
  if (kind !== "integer" && kind !== "number") return undefined;
  if (unit !== undefined && min !== undefined && max !== undefined)
    return `${WHAT[unit] ?? "A number"} from ${writeNumber(min, unit)} to ${writeNumber(max, unit)}.`;
  const what = kind === "integer" ? "A whole number" : "A number";
  return min === undefined || max === undefined ? `${what}.` : `${what} from ${count(min)} to ${count(max)}.`;
}

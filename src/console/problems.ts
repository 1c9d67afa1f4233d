import type { Mistake } from "./call-api.ts";
import { fieldGroups } from "./crawl-fields.ts";
import type { Problems } from "./field.tsx";
import { count, sentence } from "./numbers.tsx";

/** What the API refused, as somebody reads it beside the field that it is about. */

const ABOVE: Record<string, Range> = {
  url: { kind: "text" },
  limit: { kind: "integer", min: 1, max: 10_000_000 },
};

interface Range {
  kind: string;
  min?: number;
  max?: number;
}

/** By the field in whose parameter they are, under "" those of none. */
export function besideFields(mistakes: Mistake[]): Problems {
  const fields = fieldGroups().flatMap((group) => group.fields);
  const problems: Problems = {};
  for (const { path = "", message } of mistakes) {
    // What explain is asked holds the crawl inside.
    const at = path.replace(/^crawl\./, "");
    const field = fields.find(({ name }) => at === name || at.startsWith(`${name}.`));
    const name = field?.name ?? (at in ABOVE ? at : "");
    const range = field ?? ABOVE[at] ?? { kind: "text" };
    const said = rangeOf(range) ?? sentence(message.replace(`${path}: `, ""));
    problems[name] = [...(problems[name] ?? []), said];
  }
  return problems;
}

function rangeOf({ kind, min, max }: Range): string | undefined {
  if (kind === "date") return "A day that is over, such as 2026-01-31.";
  if (kind !== "integer" && kind !== "number") return undefined;
  const what = kind === "integer" ? "A whole number" : "A number";
  return min === undefined || max === undefined ? `${what}.` : `${what} from ${count(min)} to ${count(max)}.`;
}

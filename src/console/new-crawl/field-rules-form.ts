import { type FormValues, firstValue } from "./crawl-form-data.ts";
import { parseRules, type Rules } from "./parse-rules.ts";

/** The rules of fields in a form, and what was chosen for them. The API checks what stands in a rule. */

/** Empty for no rules. */
export function writeRules(rules: Rules): string {
  return Object.keys(rules).length === 0 ? "" : JSON.stringify(rules, null, 2);
}

/** The rules that were chosen, by the names that were given. */
export function pickedFields(values: FormValues): Record<string, unknown> {
  const picked = (values.pick ?? []).flatMap((number): [string, unknown][] => {
    const rule = parseRules(firstValue(values, `rule-${number}`));
    return "problem" in rule ? [] : [[firstValue(values, `name-${number}`), rule.rules]];
  });
  return Object.fromEntries(picked);
}

/** `glob`: of the pages that have the new fields; empty for all. */
export function addPicked(rules: Rules, picked: Record<string, unknown>, glob: string): Rules {
  if (Object.keys(picked).length === 0) return rules;
  if (!Array.isArray(rules) && glob === "") return { ...rules, ...picked };
  const groups = Array.isArray(rules) ? rules : Object.keys(rules).length === 0 ? [] : [{ urls: [], fields: rules }];
  const urls = glob === "" ? [] : [glob];
  const at = groups.findIndex((group) => JSON.stringify(urlsOf(group)) === JSON.stringify(urls));
  if (at === -1) return [...groups, { urls, fields: picked }];
  const group = groups[at] as { fields?: Record<string, unknown> };
  return groups.with(at, { ...group, fields: { ...group.fields, ...picked } });
}

function urlsOf(group: unknown): unknown {
  return (typeof group === "object" && group !== null && "urls" in group ? group.urls : undefined) ?? [];
}

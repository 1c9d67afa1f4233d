import type { FieldRule, FieldRules } from "./field-rule.ts";
import { schemaPathProblem } from "./schema-path.ts";
import { selectorProblem } from "./selector-problem.ts";

/** Finds what is wrong with rules before a page is read by them. */

/** Fields of one page. */
export const MAX_PAGE_FIELDS = 50;
const NAME = /^\p{L}[\p{L}\p{N}_-]{0,63}$/u;
const ATTRIBUTE = /^[^\s"'<>/=]{1,100}$/;

interface FieldProblem {
  /** The keys that lead to the mistake. */
  path: string[];
  message: string;
}

export function findFieldProblems(rules: FieldRules): FieldProblem[] {
  const entries = Object.entries(rules);
  if (entries.length > MAX_PAGE_FIELDS)
    return [{ path: [], message: `there are ${entries.length} fields; at most ${MAX_PAGE_FIELDS} are possible` }];
  return entries.flatMap(([name, rule]) => problemsOf(name, rule));
}

function problemsOf(name: string, { schema, selector, attribute }: FieldRule): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const add = (path: string[], message: string) => problems.push({ path: [name, ...path], message });
  if (!NAME.test(name))
    add(
      [],
      `${JSON.stringify(name.slice(0, 80))} is no name of a field: it begins with a letter, and has letters, digits, _ and - alone`,
    );
  const about = (written: string) => JSON.stringify(written.slice(0, 80));
  const ofSelector = selector === undefined ? null : selectorProblem(selector, "fields");
  if (selector !== undefined && ofSelector !== null) add(["selector"], `${about(selector)} ${ofSelector}`);
  const ofSchema = schema === undefined ? null : schemaPathProblem(schema);
  if (schema !== undefined && ofSchema !== null) add(["schema"], `${about(schema)} ${ofSchema}`);
  if (attribute === undefined) return problems;
  if (!ATTRIBUTE.test(attribute)) add(["attribute"], `${about(attribute)} is no name of an attribute`);
  if (selector === undefined) add(["attribute"], "an attribute needs a selector");
  return problems;
}

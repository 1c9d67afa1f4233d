import { changedFields, describeFields } from "../../crawl/page/page-fields.ts";
import type { OnRead } from "../../crawl/subject/hook.ts";
import type { Visit, VisitOutcome } from "../../crawl/watch/watch.ts";
import type { FieldValues } from "../../media/html/fields/field-rule.ts";
import type { Attempt } from "../attempt.ts";

/** What the hook's verdict makes of a visit that found a page changed. */

/**
 * Fields of the hook that have changed are told with the change, before what else has changed. `before`: those of the
 * version before.
 */
export function tellHookFields(
  visit: VisitOutcome,
  before: FieldValues | null,
  fields: NonNullable<OnRead["fields"]>,
): VisitOutcome {
  const changed = visit.change === "changed" && before !== null ? changedFields(before, fields) : [];
  if (changed.length === 0) return visit;
  const others = (visit.fields ?? []).filter(({ name }) => !(name in fields));
  const detail = [describeFields(changed), visit.detail].filter((part) => part !== null).join("; ");
  return { ...visit, fields: [...changed, ...others], detail };
}

/**
 * The visit of a page whose new version the hook drops: the version before stays what it is, with its validators, and
 * nothing is told. `links`: those to follow.
 */
export function keepBefore(attempt: Attempt, visit: VisitOutcome, known: Visit, links: readonly string[]): Attempt {
  const { fields: _, ...rest } = visit;
  const { etag, lastModified, hasUnstoredValidators, told } = known;
  const kept = { etag, lastModified, hasUnstoredValidators, told };
  return {
    ...attempt,
    visit: { ...rest, result: "same", change: null, detail: null, outcome: null, ...kept },
    text: null,
    capture: null,
    assets: [],
    embedded: [],
    hookText: null,
    links,
  };
}

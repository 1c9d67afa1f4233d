import { compileGlob } from "../../scope/url-glob.ts";
import { FINDING_KINDS, type Finding, type FindingKind } from "./finding.ts";

/**
 * The findings of a site that are to stay as they are, as people write them into `orbweaver.ignore`. A line has a kind
 * of finding or `*`, a glob of URLs, perhaps the last day on which it holds, and why:
 *
 *     broken-link https://example.com/old/** until 2027-03-31 # moves with the next release
 */

export interface IgnoreRule {
  kind: FindingKind | "*";
  /** Of the page or of the target, as `--include` takes them. */
  urls: string;
  /** The last day, in UTC: YYYY-MM-DD; null for ever. */
  until: string | null;
  reason: string;
}

export const MAX_IGNORE_CHARACTERS = 100_000;
/** Each finding is compared with each rule. */
const MAX_IGNORE_RULES = 500;
const MAX_NAMED = 3;

const LINE = /^(\S{1,100}) +(\S{1,2000})(?: +until +(\S{1,20}))? +# ?(.{1,1000})$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Blank lines, and those that begin with #, count for nothing. `problems`: what is wrong with the others, for people.
 */
export function readIgnoreList(text: string): { rules: IgnoreRule[]; problems: string[] } {
  const rules: IgnoreRule[] = [];
  const problems: string[] = [];
  for (const [i, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    const written = line.replaceAll("\t", " ").trim();
    if (written === "" || written.startsWith("#")) continue;
    const rule = readRule(written);
    if (typeof rule === "string") problems.push(`Line ${i + 1}: ${rule}`);
    else rules.push(rule);
  }
  if (rules.length > MAX_IGNORE_RULES)
    problems.push(`The list has ${rules.length} rules, and ${MAX_IGNORE_RULES} are the most.`);
  return { rules, problems };
}

function readRule(line: string): IgnoreRule | string {
  const [, kind = "", urls = "", until = null, reason = ""] = LINE.exec(line) ?? [];
  if (kind === "") return "it has no “KIND URL # reason”. A last day stands before the #: “until 2027-03-31”.";
  if (kind !== "*" && !Object.hasOwn(FINDING_KINDS, kind)) return `there is no kind of finding “${kind}”.`;
  if (until !== null && !isDay(until)) return `“${until}” is no day, such as 2027-03-31.`;
  return { kind: kind as IgnoreRule["kind"], urls, until, reason: reason.trim() };
}

function isDay(text: string): boolean {
  const at = DATE.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  // A day such as the 30th of February would be another one.
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** The rules that hold on a day. `now`: milliseconds since the epoch. */
function holding(rules: readonly IgnoreRule[], now: number): IgnoreRule[] {
  const today = new Date(now).toISOString().slice(0, 10);
  return rules.filter(({ until }) => until === null || today <= until);
}

/** Whether a finding is ignored now. Takes O(rules × URL). */
export function compileIgnoreList(
  rules: readonly IgnoreRule[],
  now: number,
): (finding: Pick<Finding, "kind" | "page" | "target">) => boolean {
  const compiled = holding(rules, now).map(({ kind, urls }) => ({ kind, matches: compileGlob(urls) }));
  return ({ kind, page, target }) =>
    compiled.some(
      (rule) =>
        (rule.kind === "*" || rule.kind === kind) &&
        (rule.matches(page) || (target !== undefined && rule.matches(target))),
    );
}

/** What a report says of its list, in sentences: how much is left out, and which rules hold no more. */
export function tellIgnored(rules: readonly IgnoreRule[], ignored: number, now: number): string[] {
  const held = holding(rules, now);
  const ended = rules.filter((rule) => !held.includes(rule));
  const named = ended.slice(0, MAX_NAMED).map(({ kind, urls, until }) => `${kind} ${urls} (until ${until})`);
  const more = ended.length > named.length ? ` and ${ended.length - named.length} more` : "";
  return [
    ...(ignored === 0 ? [] : [`${ignored.toLocaleString("en")} of the findings are on the list to ignore.`]),
    ...(ended.length === 0 ? [] : [`Of the list to ignore, this holds no more: ${named.join(", ")}${more}.`]),
  ];
}

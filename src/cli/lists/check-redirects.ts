import type { RecordView } from "../../api/views.ts";
import type { Expectation } from "./redirect-map.ts";

/** Compares where the URLs of a crawl lead with what was expected of them. */

export type Answered = Pick<RecordView, "url" | "httpStatus" | "redirectTo" | "status" | "reason" | "explanation">;

export interface Hop {
  url: string;
  /** Null if it was not asked, or did not answer. */
  httpStatus: number | null;
}

export interface Checked {
  from: string;
  expected: { to: string | null; status: number | null };
  /** Where it leads at last; null if that is not known. */
  to: string | null;
  /** `from`, each URL to which it redirects, and the last one with its status. */
  hops: Hop[];
  /** Number of redirects. */
  redirects: number;
  /** What differs; empty if nothing does. */
  differs: string[];
  place: string;
}

const PERMANENT: ReadonlySet<number> = new Set([301, 308]);
const TEMPORARY: ReadonlySet<number> = new Set([302, 303, 307]);

export function checkRedirects(
  expectations: readonly Expectation[],
  records: ReadonlyMap<string, Answered>,
): Checked[] {
  return expectations.map((expectation) => {
    const { from, to, status, place } = expectation;
    const { hops, end } = follow(from, records);
    const last = hops.at(-1) ?? { url: from, httpStatus: null };
    const redirects = hops.length - 1;
    const differs = [...end, ...(end.length > 0 ? [] : differences(expectation, hops, last))];
    const isKnown = end.length === 0 || redirects > 0;
    return { from, expected: { to, status }, to: isKnown ? last.url : null, hops, redirects, differs, place };
  });
}

/** `end`: why nothing is known of the last URL. */
function follow(from: string, records: ReadonlyMap<string, Answered>): { hops: Hop[]; end: string[] } {
  const hops: Hop[] = [];
  for (let url = from; ; ) {
    const record = records.get(url);
    const isLoop = hops.some((hop) => hop.url === url);
    const httpStatus = record?.httpStatus ?? null;
    hops.push({ url, httpStatus });
    if (isLoop) return { hops, end: ["it redirects in a circle"] };
    if (record === undefined) return { hops, end: [`${url} was not fetched`] };
    if (record.redirectTo !== null) {
      url = record.redirectTo;
      continue;
    }
    const isAnswer = httpStatus !== null && record.reason !== "redirect-loop" && record.reason !== "too-many-redirects";
    if (isAnswer) return { hops, end: [] };
    const said = hops.length > 1 ? `${url} has no answer` : "it has no answer";
    return { hops, end: [`${said}: ${record.explanation ?? record.reason ?? record.status}`] };
  }
}

function differences({ from, to, status }: Expectation, hops: readonly Hop[], last: Hop): string[] {
  const redirects = hops.slice(0, -1);
  const isRedirectWanted = (to !== null && to !== from) || (status !== null && status >= 300 && status < 400);
  if (!isRedirectWanted) {
    if (redirects.length > 0) return [`it redirects to ${last.url}, and no redirect was expected`];
    const wanted = status ?? 200;
    const isFine = status === null ? isOk(last) : last.httpStatus === wanted;
    return isFine ? [] : [`it answers ${last.httpStatus}, not ${wanted}`];
  }
  if (redirects.length === 0) return [`it answers ${last.httpStatus}, and does not redirect`];
  const found: string[] = [];
  if (to !== null && last.url !== to) found.push(`it leads to ${last.url}, not to ${to}`);
  for (const hop of redirects) {
    const wrong = status === null ? null : wrongKind(hop.httpStatus, status);
    if (wrong !== null) found.push(`${hop.url === from ? "it" : hop.url} redirects ${wrong}`);
  }
  const wantedEnd = status !== null && status < 300 ? status : null;
  if (wantedEnd === null ? !isOk(last) : last.httpStatus !== wantedEnd)
    found.push(`${last.url} answers ${last.httpStatus}${wantedEnd === null ? "" : `, not ${wantedEnd}`}`);
  return found;
}

/** 301 and 308 are one kind, and 302, 303 and 307 another: within a kind they differ in what becomes of a POST. */
function wrongKind(came: number | null, wanted: number): string | null {
  if (wanted < 300 || wanted > 399 || came === null) return null;
  for (const [kind, statuses] of [
    ["permanently", PERMANENT],
    ["temporarily", TEMPORARY],
  ] as const)
    if (statuses.has(came)) return statuses.has(wanted) ? null : `${kind} (${came}), not with ${wanted}`;
  return came === wanted ? null : `with ${came}, not with ${wanted}`;
}

function isOk({ httpStatus }: Hop): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
}

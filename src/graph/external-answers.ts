/**
 * What the answers of other sites mean for the links that lead there. A URL is broken only if somebody says that it
 * does not exist: by status 404 or 410, or DNS of its name. Every other answer may be meant for a crawler alone, or may
 * pass, so it is not judged.
 */

export interface ExternalAnswer {
  /** When it was asked, in milliseconds since the Unix epoch; 0 if it was not, so that a later pass asks. */
  askedAt: number;
  /** Null without an answer. */
  httpStatus: number | null;
  /** The canonical target of a redirect. */
  target: string | null;
  /** Why there is no answer: a key of NOT_JUDGED or another reason, or NO_SUCH_NAME. */
  why: string | null;
}

export type ExternalAnswers = ReadonlyMap<string, ExternalAnswer>;

/** The reason of a URL whose host name does not exist. */
export const NO_SUCH_NAME = "no-such-name";

/** Why a URL is not judged, for people. A status stands for itself. */
const NOT_JUDGED: Readonly<Record<string, string>> = {
  robots: "robots.txt forbids it",
  "robots-unreachable": "robots.txt cannot be read",
  "private-address": "it has a private address",
  "ip-address": "its host is an IP address",
  timeout: "no answer in time",
  connection: "the connection was refused or dropped",
  tls: "the TLS handshake or the certificate failed",
  dns: "DNS does not say whether its name exists",
  network: "the request failed",
  parse: "the answer cannot be read",
  "bad-redirect": "a redirect has no target",
  "redirect-loop": "a redirect loop",
  "too-many-redirects": "too many redirects",
  waits: "the host asked to wait for too long",
  "host-limit": "too many URLs of one host",
  time: "the time for such checks was over",
};

/** Whether the answer says that a URL does not exist. */
const BROKEN_STATUSES: ReadonlySet<number | null> = new Set([404, 410]);

type ExternalVerdict =
  | { kind: "fine" }
  /** `httpStatus`: 404 or 410; 0 for a name that does not exist. */
  | { kind: "broken"; httpStatus: number; isRedirected: boolean }
  | { kind: "not-judged"; why: string }
  /** Its own answer or that of the redirect to `url` is needed. */
  | { kind: "unanswered"; url: string };

/**
 * Judges a URL by its answer, or by that at the end of its redirects. `ownStatus`: the status of a URL that the crawl
 * asked for itself, 0 without an answer; null for any other URL.
 */
export function judgeExternal(
  first: string,
  answers: ExternalAnswers,
  ownStatus: (url: string) => number | null,
  maxRedirects: number,
): ExternalVerdict {
  const seen = new Set([first]);
  for (let url = first; ; ) {
    const isRedirected = url !== first;
    const own = isRedirected ? ownStatus(url) : null;
    if (own !== null)
      return BROKEN_STATUSES.has(own) ? { kind: "broken", httpStatus: own, isRedirected } : { kind: "fine" };
    const answer = answers.get(url);
    if (answer === undefined) return { kind: "unanswered", url };
    const { httpStatus, target, why } = answer;
    if (target === null) {
      if (why === NO_SUCH_NAME) return { kind: "broken", httpStatus: 0, isRedirected };
      if (why !== null || httpStatus === null) return { kind: "not-judged", why: why ?? "network" };
      if (BROKEN_STATUSES.has(httpStatus)) return { kind: "broken", httpStatus, isRedirected };
      return httpStatus < 300 ? { kind: "fine" } : { kind: "not-judged", why: `status ${httpStatus}` };
    }
    if (seen.has(target)) return { kind: "not-judged", why: "redirect-loop" };
    if (seen.size > maxRedirects) return { kind: "not-judged", why: "too-many-redirects" };
    seen.add(target);
    url = target;
  }
}

/** The numbers of a check. */
export interface ExternalCounts {
  /** Distinct URLs of other sites that are linked. */
  targets: number;
  fine: number;
  broken: number;
  /** By why, most first: the number of URLs, and a few of them. */
  notJudged: { why: string; count: number; examples: string[] }[];
  /** Links to URLs beyond the limit of a pass. */
  linksLeftOut: number;
}

const MAX_EXAMPLES = 5;

/** Counts verdicts. */
export class VerdictCounts {
  readonly #notJudged = new Map<string, { count: number; examples: string[] }>();
  #fine = 0;
  #broken = 0;

  add(url: string, verdict: ExternalVerdict): void {
    if (verdict.kind === "fine") this.#fine += 1;
    else if (verdict.kind === "broken") this.#broken += 1;
    else {
      const why = verdict.kind === "not-judged" ? verdict.why : "waits";
      const known = this.#notJudged.get(why) ?? { count: 0, examples: [] };
      this.#notJudged.set(why, known);
      known.count += 1;
      if (known.examples.length < MAX_EXAMPLES) known.examples.push(url);
    }
  }

  toCounts(linksLeftOut: number): ExternalCounts {
    const notJudged = [...this.#notJudged].map(([why, known]) => ({ why, ...known }));
    notJudged.sort((a, b) => b.count - a.count || (a.why < b.why ? -1 : 1));
    const unjudged = notJudged.reduce((sum, { count }) => sum + count, 0);
    const targets = this.#fine + this.#broken + unjudged;
    return { targets, fine: this.#fine, broken: this.#broken, notJudged, linksLeftOut };
  }
}

/** What a report says of a check: sentences for people. */
export function describeExternals({ targets, broken, notJudged, linksLeftOut }: ExternalCounts): string[] {
  const unjudged = notJudged.reduce((sum, { count }) => sum + count, 0);
  const reasons = notJudged.map(({ why, count }) => `${count}: ${NOT_JUDGED[why] ?? why}`).join("; ");
  return [
    `${targets} URLs of other sites were checked: ${broken} do not exist.`,
    ...(unjudged === 0 ? [] : [`${unjudged} of them are not judged (${reasons}).`]),
    ...(linksLeftOut === 0 ? [] : [`${linksLeftOut} links to further URLs of other sites were not checked.`]),
  ];
}

import { findSignOut, type SessionAnswer } from "../../../changes/walls/find-sign-out.ts";
import type { Crawl } from "../../../crawl/crawl.ts";
import type { FetchResult, PageResult } from "../../../crawl/page/outcome.ts";
import { readSignedInMark, type SignedInMark } from "../../../crawl/session.ts";
import { reject } from "../../../fetch/answer/answer.ts";
import type { PageWants } from "../../../fetch/request/page-request.ts";
import { countAskedBefore } from "../../../store/installation/sessions.ts";
import { canonicalize } from "../../../url/canonicalize.ts";
import { hostKey, hostOf } from "../../../url/host-key.ts";
import { pauseCrawl } from "../../batch/pause-crawl.ts";
import { spreadDelayMs } from "../../batch/retry-delay.ts";
import type { Answer } from "../../lane/lane-driver.ts";
import { robotsAllow } from "../../lane/may-ask.ts";
import { wantsOfUnlisted } from "../../lane/request-of-work.ts";
import { type LoggedIn, logIn } from "../../log-in/log-in.ts";
import type { PageWork, Work } from "../../work.ts";
import type { Feature, NotFetched, Opening, PageSteps, Turn } from "../feature.ts";
import { LaneSession, laneSessions } from "./lane-session.ts";

/**
 * Notices that a session has ended. An answer that looks so (changes/walls/find-sign-out.ts) is compared with a page
 * that was seen signed in: if that is signed out too, or there is none, nothing is stored, the crawl pauses, and the
 * URL waits for a new session, which its log-in may bring. A page that asks to log in although the session holds, or
 * again with a new one, ends so.
 */
export const signedIn: Feature<"signedIn"> = {
  open: async (opening) => {
    const sessions = opening.document === null ? await laneSessions(opening) : new Map<string, never>();
    if (sessions.size === 0) return null;
    const guard = new Guard(opening, sessions);
    await guard.stopUnusable();
    return guard;
  },
  // Beside the page: the one that is asked for to compare, and a log-in.
  invocations: ({ context }) => ({ now: context.crawl.options.session === "" ? 0 : 2 }),
};

/** About how long a URL waits while somebody logs in. */
const LOG_IN_WAIT_MS = 3_000;

type Proof = "in" | "out" | "unknown" | "later";

class Guard implements PageSteps<"signedIn"> {
  readonly #opening: Opening;
  readonly #sessions: Awaited<ReturnType<typeof laneSessions>>;
  /** Crawls that are to stop. */
  readonly #out = new Set<Crawl["id"]>();
  /** Pages that were seen signed in, by crawl. */
  readonly #seen = new Map<Crawl["id"], string>();
  /** Crawls whose URL of the mark has answered in this lane. */
  readonly #checked = new Set<Crawl["id"]>();

  constructor(opening: Opening, sessions: Awaited<ReturnType<typeof laneSessions>>) {
    this.#opening = opening;
    this.#sessions = sessions;
  }

  /** Pauses crawls whose session is gone, or cannot be decrypted. */
  async stopUnusable(): Promise<void> {
    for (const [crawl, session] of this.#sessions) {
      if (session instanceof LaneSession) continue;
      this.#out.add(crawl);
      await this.#pause(crawl, `signed-out: ${session.why}`);
    }
  }

  before({ row }: Work): Turn | null {
    if (this.#out.has(row.crawl)) return { kind: "later", waiting: null };
    const session = this.#sessions.get(row.crawl);
    const until = session instanceof LaneSession ? (session.session.logIn?.underWayUntil ?? 0) : 0;
    return until > this.#opening.deps.clock.now() ? this.#waitForLogIn("the log-in of its session is under way") : null;
  }

  /** A session that holds nothing yet logs in before anything is asked for. */
  async ready(work: PageWork): Promise<NotFetched | null> {
    const session = this.#sessionOf(work);
    if (session === null || !session.isToLogIn) return null;
    if (this.#out.has(work.row.crawl)) return { kind: "later", waiting: null };
    const logged = await this.#logIn(work, session);
    if (logged.kind === "in") return null;
    if (logged.kind === "later") return this.#waitForLogIn(logged.why);
    this.#out.add(work.row.crawl);
    await this.#pause(
      work.row.crawl,
      `signed-out: the log-in of the session ${session.session.name} did not work: ${logged.why}`,
    );
    return { kind: "later", waiting: null };
  }

  wants(work: PageWork): Pick<PageWants, "signedIn"> {
    const session = this.#sessionOf(work);
    return { signedIn: session === null ? null : lookedFor(markOf(work, session)) };
  }

  async after(work: PageWork, { result }: Answer<FetchResult>): Promise<FetchResult | "lane"> {
    const session = this.#sessionOf(work);
    const answer = session === null ? null : answerOf(result);
    if (session === null || answer === null) return result;
    if (this.#out.has(work.row.crawl)) return "lane";
    const { url, crawl } = work.row;
    const mark = markOf(work, session);
    const found = findSignOut(url, answer, mark !== null);
    const isUnchecked = mark?.kind === "url" && !this.#checked.has(crawl);
    if (found === null && !isUnchecked) {
      if (answer.kind === "page" && answer.marked === true) this.#seen.set(crawl, url);
      return result;
    }
    const proof = await this.#prove(work, session, mark);
    if (proof === "later") return "lane";
    if (proof === "in" && mark?.kind === "url") this.#checked.add(crawl);
    const asksToLogIn = answer.kind === "page" && answer.asks === "password";
    const why = found?.why ?? "the page that says who is signed in does not answer";
    if (proof === "in") return asksToLogIn && found !== null ? rejectLogIn(result, why) : result;
    if (proof === "unknown" && found?.isCertain !== true) return result;
    // The session held in between, and has ended again.
    const hasEnded = proof === "out" && (this.#seen.has(crawl) || session.session.seenAt !== null);
    if (countAskedBefore(session.session, crawl, url) > (hasEnded ? 1 : 0)) return rejectLogIn(result, why);
    return this.#signOut(work, session, why, mark !== null);
  }

  async close(): Promise<void> {
    const { sessions, clock } = this.#opening.deps;
    for (const [crawl, url] of this.#seen) {
      const session = this.#sessions.get(crawl);
      if (session instanceof LaneSession && !this.#out.has(crawl))
        await sessions.noteSeen(session.session, { [hostKey(url)]: url }, clock.now());
    }
  }

  /** Null where the crawl has no session, or it does not go there. */
  #sessionOf({ row }: PageWork): LaneSession | null {
    const session = this.#sessions.get(row.crawl);
    return session instanceof LaneSession && session.goesTo(row.url) ? session : null;
  }

  /** Asks for a page that was seen signed in. */
  async #prove(work: PageWork, session: LaneSession, mark: SignedInMark | null): Promise<Proof> {
    const { ask, host, deps } = this.#opening;
    const url = this.#proofOf(work, session, mark);
    if (url === null || hostKey(url) !== host || !session.goesTo(url)) return "unknown";
    if (deps.invocations.left === 0) return "later";
    if (!(await robotsAllow(url, work, deps))) return "unknown";
    const wants = { ...wantsOfUnlisted(work), signedIn: lookedFor(mark) };
    const answer = await ask(url, work, wants);
    if (answer === null) return "later";
    await session.store();
    return judgeProof(url, answer.result, mark);
  }

  #proofOf({ row }: PageWork, { session }: LaneSession, mark: SignedInMark | null): string | null {
    if (mark?.kind === "url") return canonicalize(mark.url);
    // Without a mark, nobody knows which page strangers do not see.
    if (mark === null) return null;
    const url = this.#seen.get(row.crawl) ?? session.proofs[this.#opening.host] ?? null;
    return url === row.url ? null : url;
  }

  /** Renews the session by its log-in, or pauses the crawl. The URL is sent again. */
  async #signOut(work: PageWork, lane: LaneSession, why: string, hasMark: boolean): Promise<"lane"> {
    const { sessions, clock } = this.#opening.deps;
    const { crawl, url } = work.row;
    const { session } = lane;
    // A session that was brought again meanwhile is another one: the URL comes again with it.
    if (!(await sessions.noteSignedOut(session, { crawl, url, why }, clock.now()))) {
      this.#out.add(crawl);
      return "lane";
    }
    let failed = "";
    if (session.logIn !== null) {
      // What a log-in has just brought, and no page has taken, would not be better the second time.
      const isUseless = session.logIn.hasBrought && hasMark && session.seenAt === null && !this.#seen.has(crawl);
      const logged = isUseless
        ? { kind: "out" as const, why: "no page takes what it brings" }
        : await this.#logIn(work, lane);
      if (logged.kind === "in") return "lane";
      if (logged.kind === "later") {
        this.#out.add(crawl);
        return "lane";
      }
      failed = `. Its log-in did not work: ${logged.why}`;
    }
    this.#out.add(crawl);
    await this.#pause(
      crawl,
      `signed-out: ${hostOf(url)} no longer takes the session ${session.name} (${url}: ${why})${failed}. Bring it again with orbweaver session add ${session.name}, then resume`,
    );
    return "lane";
  }

  async #logIn(work: PageWork, lane: LaneSession): Promise<Pick<LoggedIn, "kind"> & { why: string }> {
    const { visit, deps } = this.#opening;
    await lane.store();
    const { crawl } = work.context;
    const logged = await visit(async (held, leaseMs) => logIn(lane.session, crawl, held, leaseMs, deps));
    if (logged === null) return { kind: "later", why: "there is no time for its log-in now" };
    if (logged.kind !== "in") return logged;
    // What was seen before says nothing of what the log-in has brought.
    for (const [id, session] of this.#sessions) if (session === lane) this.#seen.delete(id);
    return (await lane.reopen()) ? { kind: "in", why: "" } : { kind: "later", why: "the session is gone" };
  }

  #waitForLogIn(why: string): NotFetched {
    return { kind: "later", waiting: { delayMs: spreadDelayMs(LOG_IN_WAIT_MS, this.#opening.deps.random()), why } };
  }

  async #pause(crawl: string, reason: string): Promise<void> {
    await pauseCrawl(crawl, reason, this.#opening.deps);
  }
}

function markOf({ context }: PageWork, { session }: LaneSession): SignedInMark | null {
  return readSignedInMark(context.crawl.options.signedIn || session.signedIn);
}

/** What the reader looks for in a page. */
function lookedFor(mark: SignedInMark | null): PageWants["signedIn"] {
  return mark === null || mark.kind === "url" ? { kind: "asks" } : mark;
}

/** Null for what says nothing: no answer came, or something of our own was missing. */
function answerOf(result: FetchResult): SessionAnswer | null {
  switch (result.kind) {
    case "page": {
      const { marked = null, asks = null } = result.signedIn ?? {};
      return { kind: "page", marked, asks };
    }
    case "redirect":
      return { kind: "redirect", target: result.target };
    case "rejected":
      return result.httpStatus === null ? null : { kind: "error", status: result.httpStatus };
    default:
      return null;
  }
}

function judgeProof(url: string, result: PageResult, mark: SignedInMark | null): Proof {
  const answer = answerOf(result);
  if (answer === null || (result.kind === "rejected" && (result.retryable || result.hostFailed))) return "later";
  if (findSignOut(url, answer, true) !== null) return "out";
  if (mark?.kind === "url") return answer.kind === "redirect" ? "out" : judgePlain(answer);
  return answer.kind === "page" && answer.marked === true ? "in" : "out";
}

/** A URL that answers with anything but an error is what a signed-in reader gets, unless it asks for a password. */
function judgePlain(answer: SessionAnswer): Proof {
  if (answer.kind === "page") return answer.asks === "password" ? "out" : "in";
  return answer.kind === "error" && answer.status !== null && answer.status < 300 ? "in" : "out";
}

function rejectLogIn(result: FetchResult, why: string): PageResult {
  const { httpStatus, durationMs, bodyBytes = 0 } = result;
  const contentType = result.kind === "page" ? result.contentType : null;
  return reject("log-in", why, { httpStatus, durationMs, bodyBytes, contentType });
}

import { findSignOut, type SessionAnswer } from "../changes/walls/find-sign-out.ts";
import type { CrawlOptions } from "../crawl/crawl-options.ts";
import type { SessionCheck } from "../crawl/log-in.ts";
import { isForHost, readSignedInMark } from "../crawl/session.ts";
import { NO_SECRETS, type Secrets } from "../fetch/answer/answer.ts";
import { LOG_IN_LEASE_MS } from "../fetch/browser/log-in/perform-log-in.ts";
import { ASKS_NOTHING } from "../fetch/request/page-request.ts";
import { readSecrets, secretsFor } from "../fetch/request/session-secrets.ts";
import type { Deps } from "../frontier/deps.ts";
import { type LogInDeps, logIn, lookWith } from "../frontier/log-in/log-in.ts";
import type { OpenSession } from "../store/installation/sessions.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { hostKey, hostOf } from "../url/host-key.ts";
import { withScheme } from "../url/with-scheme.ts";
import { fetchUnlisted, type Unlisted } from "./records/fetch-unlisted.ts";

/** Checks a session: does its log-in, looks at a page with it and without it, and proposes how to tell them apart. */

type CheckDeps = LogInDeps & Pick<Deps, "fetchPage">;

/** `url`: the page to look at; null for the one to which the log-in leads, or the start of the first host. */
export async function checkSession(
  name: string,
  url: string | null,
  options: CrawlOptions,
  deps: CheckDeps,
): Promise<SessionCheck | null> {
  const session = await openOne(name, deps);
  if (session === null) return null;
  const page = url ?? startOf(session);
  const crawl = { id: `session ${name}`, epoch: 0, options: { ...options, urls: [page] }, hosts: [hostOf(page)] };
  if (session.logIn === null) {
    const looked = await lookWith(session, page, crawl, LOG_IN_LEASE_MS, deps);
    const compared = await compare(session, page, options, deps);
    return looked.kind === "done"
      ? { done: looked, notDone: null, ...compared }
      : { done: null, notDone: looked.why, ...compared };
  }
  const logged = await logIn(session, crawl, null, LOG_IN_LEASE_MS, deps);
  if (logged.kind === "later") return { ...NOT_COMPARED, done: null, notDone: logged.why, why: logged.why };
  if (logged.kind === "out") return { ...NOT_COMPARED, done: logged.done, notDone: null, why: logged.why };
  const { done } = logged;
  const renewed = await openOne(name, deps);
  if (renewed === null) return null;
  const led = done.page === null || !isForHost(session, hostOf(done.page.url)) ? page : done.page.url;
  return { done, notDone: null, ...(await compare(renewed, url ?? led, options, deps)) };
}

const NOT_COMPARED = { why: null, url: null, marked: null, strangers: null, proposed: null, problem: null };

async function openOne(name: string, { sessions }: Pick<Deps, "sessions">): Promise<OpenSession | null> {
  const found = (await sessions.open([name])).get(name);
  return found === undefined || "why" in found ? null : found;
}

/** A page that was seen signed in, or the start of the first host. */
function startOf({ hosts, proofs }: OpenSession): string {
  const [seen] = Object.values(proofs);
  if (seen !== undefined) return seen;
  const exact = hosts.find((host) => !host.startsWith("*.")) ?? (hosts[0] ?? "").replace("*.", "");
  return canonicalize(withScheme(`${exact}/`)) ?? "";
}

/** Asks for a page with the session and without it, as a crawl does. No page is stored, only that it was seen. */
async function compare(
  session: OpenSession,
  page: string,
  options: CrawlOptions,
  deps: CheckDeps,
): Promise<Omit<SessionCheck, "done" | "notDone">> {
  const mark = readSignedInMark(session.signedIn);
  const wants = {
    ...ASKS_NOTHING,
    signedIn: mark === null || mark.kind === "url" ? ({ kind: "asks" } as const) : mark,
  };
  const secrets = readSecrets(session.content);
  const asMember = (url: string): Secrets => secretsFor(secrets, session, url, deps.clock.now());
  const ask = async (secretsFor: (url: string) => Secrets) =>
    fetchUnlisted({ url: page, name: `session ${session.name}`, wants, secretsFor }, options, deps);
  const member = await ask(asMember);
  const marked = member.page?.signedIn?.marked ?? null;
  const signOut = marked === null ? findSignOut(page, answerOf(member, page), false) : null;
  if (signOut !== null) return { ...NOT_COMPARED, url: page, why: `${signOut.why} at ${page}` };
  if (member.page === null) return { ...NOT_COMPARED, url: page, problem: member.problem };
  const stranger = await ask(() => NO_SECRETS);
  // Its parser is not loaded at the start of the Worker.
  const { proposeMark } = await import("../changes/walls/propose-mark.ts");
  const proposed = proposeMark(htmlOf(member), stranger.url === member.url ? htmlOf(stranger) : "");
  // So a crawl that finds it ended logs in again: a log-in whose pages nobody has seen is done once.
  if (marked === true) await deps.sessions.noteSeen(session, { [hostKey(member.url)]: member.url }, deps.clock.now());
  const strangers = findSignOut(page, answerOf(stranger, page), false)?.why ?? null;
  return { why: null, url: member.url, marked, strangers, proposed, problem: null };
}

/** As a crawl takes it for the answer of a session. Redirects were followed. */
function answerOf({ url, httpStatus, page }: Unlisted, asked: string): SessionAnswer {
  if (url !== asked) return { kind: "redirect", target: url };
  if (page === null) return { kind: "error", status: httpStatus };
  return { kind: "page", marked: null, asks: page.signedIn?.asks ?? null };
}

function htmlOf({ page }: Unlisted): string {
  return page === null || !/html/.test(page.contentType) ? "" : new TextDecoder().decode(page.body);
}

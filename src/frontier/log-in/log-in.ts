import type { Crawl } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { describePerson, describeStep, hostsOfLogIn, type LogIn, type LogInStep } from "../../crawl/log-in.ts";
import { readSignedInMark, type SessionFacts } from "../../crawl/session.ts";
import { NO_SECRETS, type Secrets, senderOf } from "../../fetch/answer/answer.ts";
import type { BrowserCookie, PageStep } from "../../fetch/browser/log-in/log-in-drawing.ts";
import type { LogInOutcome, LogInRequest } from "../../fetch/browser/log-in/perform-log-in.ts";
import { keepFor } from "../../fetch/request/cookie-file.ts";
import { type Cookie, MAX_COOKIE_AGE_MS } from "../../fetch/request/cookie-jar.ts";
import { readSecrets, type SessionSecrets, secretsFor, writeSecrets } from "../../fetch/request/session-secrets.ts";
import { productToken } from "../../robots/product-token.ts";
import { SealProblem } from "../../store/installation/seal.ts";
import type { OpenSession } from "../../store/installation/sessions.ts";
import { hostOf } from "../../url/host-key.ts";
import type { Lane } from "../batch/admit.ts";
import { compileCrawl } from "../context.ts";
import type { Deps } from "../deps.ts";
import { drawingUsage } from "../lane/drawing-usage.ts";
import type { Visitor } from "../lane/host-visits.ts";
import { LogInGateway } from "./log-in-gateway.ts";

/** Logs in with the log-in of a session, and keeps the cookies that it brings. */

export type LogInDeps = Pick<Deps, "clock" | "gate" | "logIn" | "logIns" | "meter" | "sessions">;

/** Who asks: a crawl, or somebody who checks a session. */
export type LogInCrawl = Pick<Crawl, "id" | "epoch" | "options" | "hosts">;

/** `later`: nothing was sent. `why`: for people. `done`: null without a browser's answer. */
export type LoggedIn =
  | { kind: "in"; done: LogInOutcome }
  | { kind: "out"; why: string; done: LogInOutcome | null }
  | { kind: "later"; why: string };

/** `lane`: one that is held already, whose host belongs to its visit. `leaseMs`: real time for all of it. */
export async function logIn(
  session: OpenSession,
  crawl: LogInCrawl,
  lane: Lane | null,
  leaseMs: number,
  deps: LogInDeps,
): Promise<LoggedIn> {
  const { clock, logIns, sessions } = deps;
  const { name } = session;
  const taken = await logIns.take(name, clock.now(), clock.speed).catch((error: unknown) => {
    if (error instanceof SealProblem) return { kind: "sealed" as const, why: error.message };
    throw error;
  });
  switch (taken.kind) {
    case "none":
      return { kind: "out", why: "it has no log-in", done: null };
    case "under-way":
      return { kind: "later", why: "its log-in is under way" };
    case "sealed":
      return { kind: "out", why: taken.why, done: null };
    case "spent":
      return { kind: "out", why: spentWhy(taken.perDay), done: null };
  }
  const { secrets } = taken.logIn;
  const kept = readSecrets(session.content);
  const done = await visitAsBrowser(session, taken.logIn, secrets, [], crawl, lane, leaseMs, deps);
  if (done.kind === "later") {
    await logIns.giveBack(name);
    return done;
  }
  const cookies = toJar(done.cookies, session, clock.now());
  const why = whyOut(session, done, cookies.length + kept.headers.length);
  await logIns.end(name, why, clock.now());
  if (why !== null) return { kind: "out", why, done };
  await sessions.renew(session, writeSecrets({ headers: kept.headers, cookies }), cookies.length);
  return { kind: "in", done };
}

/** Opens a URL with what a session holds, and does nothing there. */
export async function lookWith(
  session: OpenSession,
  url: string,
  crawl: LogInCrawl,
  leaseMs: number,
  deps: LogInDeps,
): Promise<LogInOutcome | { kind: "later"; why: string }> {
  const { cookies } = readSecrets(session.content);
  const steps = { hosts: [], steps: [{ open: url }] };
  return visitAsBrowser(session, steps, {}, cookies, crawl, null, leaseMs, deps);
}

async function visitAsBrowser(
  session: Pick<OpenSession, "name" | "hosts" | "signedIn" | "content">,
  logIn: LogIn,
  secrets: Readonly<Record<string, string>>,
  cookies: readonly Cookie[],
  crawl: LogInCrawl,
  lane: Lane | null,
  leaseMs: number,
  deps: LogInDeps,
): Promise<LogInOutcome | { kind: "later"; why: string }> {
  const hosts = hostsOfLogIn(logIn, session.hosts);
  const kept = readSecrets(session.content);
  const gateway = new LogInGateway(visitorOf(logIn, hosts, crawl), lane, hosts, headersOf(kept, session, deps), deps);
  const { options } = crawl;
  const mark = readSignedInMark(options.signedIn || session.signedIn);
  const request: LogInRequest = {
    ...senderOf(options),
    agent: productToken(options.userAgent),
    hosts,
    timeoutMs: options.timeoutMs,
    steps: logIn.steps.map((step) => toPageStep(step, secrets)),
    cookies: cookies.map(toBrowser),
    hidden: Object.values(secrets),
    looksFor: mark === null || mark.kind === "url" ? { kind: "asks" } : mark,
  };
  try {
    const { billedMs, ...result } = await deps.logIn(request, gateway, leaseMs);
    if (billedMs > 0) deps.meter.add(drawingUsage(billedMs));
    return result.kind === "later" ? result : { ...result, billedMs };
  } finally {
    await gateway.end();
  }
}

/** The hosts of the log-in are named by its owner, as seeds are. */
function visitorOf(
  { steps }: LogIn,
  hosts: readonly string[],
  { id, epoch, options, hosts: ofCrawl }: LogInCrawl,
): Visitor {
  const opened = steps.flatMap((step) => ("open" in step ? [step.open] : []));
  const exact = hosts.filter((host) => !host.startsWith("*.")).map((host) => `http://${host}/`);
  const urls = [...new Set([...options.urls, ...opened, ...exact])];
  const named: CrawlOptions = { ...options, urls };
  const known = [...new Set([...ofCrawl, ...urls.map(hostOf)])];
  const { agent, uses, rightsOn, scope, mayBePrivate } = compileCrawl({ options: named, hosts: known }, "seeds");
  return { crawl: { id, epoch, options }, agent, uses, rightsOn, scope, mayBePrivate };
}

/** Without its cookies, which are the browser's. */
function headersOf(
  { headers }: SessionSecrets,
  session: Pick<SessionFacts, "hosts">,
  { clock }: Pick<Deps, "clock">,
): (url: string) => Secrets {
  if (headers.length === 0) return () => NO_SECRETS;
  return (url) => secretsFor({ cookies: [], headers }, session, url, clock.now());
}

function toPageStep(step: LogInStep, secrets: Readonly<Record<string, string>>): PageStep {
  const name = describeStep(step);
  if ("open" in step) return { name, kind: "open", url: step.open };
  if ("fill" in step) return { name, kind: "fill", selector: step.fill, value: secrets[step.with] ?? "" };
  if ("click" in step) return { name, kind: "click", selector: step.click };
  const { waitFor } = step;
  return waitFor.startsWith("text=")
    ? { name, kind: "wait-text", text: waitFor.slice("text=".length).trim() }
    : { name, kind: "wait", selector: waitFor };
}

/** Why a log-in has not worked, for people; null if it has. */
function whyOut({ name }: OpenSession, done: LogInOutcome, held: number): string | null {
  const failed = done.steps.find(({ ok }) => !ok);
  if (failed === undefined && done.marked !== false && !done.asksPassword) {
    return held === 0 ? "it has brought no cookie for the hosts of the session" : null;
  }
  if (done.asks !== null) return describePerson(done.asks, name);
  if (failed !== undefined) return `“${failed.step}”: ${failed.detail}`;
  return done.asksPassword ? "the page still asks for a password" : "the page does not look signed in";
}

function spentWhy(perDay: number): string {
  return `its account has had ${perDay} log-ins within 24 hours, and no more are done; --logins says otherwise`;
}

/** The cookies that go to the hosts of the session. */
function toJar(cookies: readonly BrowserCookie[], { hosts }: Pick<SessionFacts, "hosts">, now: number): Cookie[] {
  const jar = cookies.map(({ name, value, domain, path, secure, expires }): Cookie => {
    const host = domain.replace(/^\./, "").toLowerCase();
    const expiresAt = expires === null ? null : Math.min(Math.round(expires * 1_000), now + MAX_COOKIE_AGE_MS);
    return { host, name, value, path, secure, expiresAt, ...(domain.startsWith(".") ? { isOfDomain: true } : {}) };
  });
  return [...keepFor(jar, hosts).kept];
}

function toBrowser({ host, isOfDomain, name, value, path, secure, expiresAt }: Cookie): BrowserCookie {
  const domain = isOfDomain ? `.${host}` : host;
  return { name, value, domain, path, secure, expires: expiresAt === null ? null : expiresAt / 1_000 };
}

import { systemClock } from "../../../core/clock.ts";
import type { LogInSeen } from "../../../crawl/log-in.ts";
import { DRAWN_TYPE } from "../../../crawl/page/page-format.ts";
import { canonicalize } from "../../../url/canonicalize.ts";
import { readPage } from "../../reading/read-page.ts";
import { ASKS_NOTHING, type PageWants } from "../../request/page-request.ts";
import type { FetchEnv } from "../../transport/http.ts";
import { within } from "../draw-page.ts";
import type { RenderGateway } from "../render-gateway.ts";
import type { AnswerLogIn, BrowserCookie, LogInAnswer, LogInDrawing, PageStep } from "./log-in-drawing.ts";
import { LogInRequests, type LogInSender } from "./log-in-requests.ts";

/** Has a browser log in, and reads how the page looks afterwards. */

/** Time for the steps of a log-in, in milliseconds. */
const STEPS_MS = 45_000;
/** Time beside it: for a place in the browser, an empty page, a picture, and the last requests. */
const LOG_IN_BESIDE_MS = 20_000;
/** How much longer a lane is held in which somebody may log in, in milliseconds. */
export const LOG_IN_LEASE_MS = STEPS_MS + LOG_IN_BESIDE_MS;

export interface LogInRequest extends LogInSender {
  /** Our product token. */
  agent: string;
  steps: readonly PageStep[];
  cookies: readonly BrowserCookie[];
  /** What no report may show. */
  hidden: readonly string[];
  /** What is looked for in the page afterwards. */
  looksFor: NonNullable<PageWants["signedIn"]>;
}

/** `later`: nothing was sent, and it may be tried again; `why` is for people. */
export type LogInResult = { kind: "later"; why: string; billedMs: number } | LogInOutcome;

export interface LogInOutcome extends LogInSeen {
  kind: "done";
  cookies: BrowserCookie[];
  billedMs: number;
}

type LogInEnv = FetchEnv & Pick<Env, "BROWSER_SESSION"> & Partial<Pick<Env, "BROWSER">>;

/** `leaseMs`: real time for all of it. Never throws for what sites do. */
export async function performLogIn(
  request: LogInRequest,
  gateway: RenderGateway,
  env: LogInEnv,
  leaseMs: number,
): Promise<LogInResult> {
  if (env.BROWSER === undefined) return failedBy("this installation has no browser", 0);
  const endsAt = systemClock.now() + leaseMs;
  const leftMs = () => endsAt - systemClock.now();
  const requests = new LogInRequests(request, gateway, env, leftMs);
  const { userAgent, steps, cookies, hidden } = request;
  const timeoutMs = Math.min(STEPS_MS, leaseMs - LOG_IN_BESIDE_MS / 2);
  if (timeoutMs <= 0) return { kind: "later", why: "its host had too little time", billedMs: 0 };
  const patienceMs = leaseMs - timeoutMs;
  const drawing = { userAgent, steps, cookies, hidden, patienceMs, timeoutMs };
  const answer = await draw(drawing, requests.answer, env, leftMs());
  await requests.end();
  const billedMs = answer.kind === "no-place" ? 0 : answer.billedMs;
  if (answer.kind === "no-place") return { kind: "later", why: "the browser has no place now", billedMs };
  if (answer.kind === "failed") return failedBy(`the browser failed: ${answer.detail}`, billedMs);
  if (requests.sent === 0 && requests.wasBusy) return { kind: "later", why: "a host is busy", billedMs };
  const { href, html, kind: _, ...done } = answer;
  return { kind: "done", ...done, ...(await lookAt(href, html, request)) };
}

function failedBy(why: string, billedMs: number): LogInOutcome {
  const none = { page: null, asks: null, marked: null, asksPassword: false, cookies: [], picture: why };
  return { kind: "done", steps: [{ step: "start a browser", ok: false, detail: why }], ...none, billedMs };
}

async function lookAt(
  href: string,
  html: string,
  { agent, looksFor }: LogInRequest,
): Promise<Pick<LogInOutcome, "marked" | "asksPassword">> {
  const url = canonicalize(href);
  if (url === null || html === "") return { marked: null, asksPassword: false };
  const received = { body: new TextEncoder().encode(html), contentType: DRAWN_TYPE, headers: [], httpStatus: 200 };
  const page = await readPage(received, { ...ASKS_NOTHING, url, agent, signedIn: looksFor }, 0, 0);
  const { marked = null, asks = null } = page.kind === "page" ? (page.signedIn ?? {}) : {};
  return { marked, asksPassword: asks === "password" };
}

/** A session that breaks or does not answer in time has failed. */
async function draw(drawing: LogInDrawing, answer: AnswerLogIn, env: LogInEnv, leftMs: number): Promise<LogInAnswer> {
  const session = env.BROWSER_SESSION.get(env.BROWSER_SESSION.idFromName("0")) as unknown as {
    logIn(asked: LogInDrawing, answer: AnswerLogIn): Promise<LogInAnswer>;
  };
  try {
    return await within(leftMs, session.logIn(drawing, answer));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: "failed", detail: detail.slice(0, 300), billedMs: 0 };
  }
}

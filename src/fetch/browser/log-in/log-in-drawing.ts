import type { AsksPerson, LoggedInPage, StepReport } from "../../../crawl/log-in.ts";
import type { AskedResource, ResourceAnswer } from "../drawing.ts";

/** What the page fetcher and a browser session say to one another about a log-in: plain data, as in drawing.ts. */

/** A step with the value of its secret. `name`: for people, without the value. */
export type PageStep = { name: string } & (
  | { kind: "open"; url: string }
  | { kind: "fill"; selector: string; value: string }
  | { kind: "click"; selector: string }
  | { kind: "wait"; selector: string }
  | { kind: "wait-text"; text: string }
);

export interface LogInDrawing {
  userAgent: string;
  steps: readonly PageStep[];
  /** Cookies that the browser has before the first step. */
  cookies: readonly BrowserCookie[];
  /** What no report may show. */
  hidden: readonly string[];
  /** How long it may wait for a place in a browser that has started, in milliseconds. */
  patienceMs: number;
  /** Time for all steps, in milliseconds. */
  timeoutMs: number;
}

/** A cookie as the browser has it. */
export interface BrowserCookie {
  name: string;
  value: string;
  /** With a leading dot for all hosts below it, too. */
  domain: string;
  path: string;
  secure: boolean;
  /** Seconds since 1970; null for the session of the browser. */
  expires: number | null;
}

/** A request of a page. `cookie`: what the browser sends by its own rules; empty for none. */
export interface AskedByLogIn extends AskedResource {
  cookie: string;
  /** Null for a request without one. */
  body: Uint8Array | null;
  /** The host of the page that asks; empty for the first one. */
  from: string;
  isDocument: boolean;
}

/** Answers a request: redirects are answers, and the browser follows them. `refused`: for people. */
export type AnswerLogIn = (asked: AskedByLogIn) => Promise<ResourceAnswer | { refused: string }>;

/** How far a log-in came. */
export interface LogInDone {
  kind: "done";
  /** One for each step that was begun: the first that is not ok is the last. */
  steps: StepReport[];
  page: LoggedInPage | null;
  /** The full address of the page, which may hold a token. */
  href: string;
  asks: AsksPerson | null;
  /** The page as the browser has it. */
  html: string;
  cookies: BrowserCookie[];
  /** A JPEG; a sentence says why there is none. */
  picture: Uint8Array | string;
  /** Time that the browser has been open since its last bill, in milliseconds. */
  billedMs: number;
}

/** `no-place`: other pages hold the browser. `failed`: for people; the browser is at fault. */
export type LogInAnswer = LogInDone | { kind: "no-place" } | { kind: "failed"; detail: string; billedMs: number };

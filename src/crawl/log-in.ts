import { matchesHost } from "../url/own-host.ts";

/** A log-in that is written down: what a browser does on the pages of a site, and what came of it. */

/** One of the four. Selectors are CSS. */
export type LogInStep =
  /** A URL to open. */
  | { open: string }
  /** A field to fill in with the secret of this name. */
  | { fill: string; with: string }
  | { click: string }
  /** A selector, or `text=WORDS`: the page is waited for until it has it. */
  | { waitFor: string };

export interface LogIn {
  /** Hosts beside those of the session whose pages it may open and post to, such as that of a single sign-on. */
  hosts: readonly string[];
  steps: readonly LogInStep[];
}

/** Log-ins of an account within 24 hours, unless somebody says otherwise. */
export const LOG_INS_A_DAY = 3;
export const MOST_LOG_INS_A_DAY = 100;
export const MOST_LOG_IN_STEPS = 30;

/** What a step did. `detail` is for people, and has no secret. */
export interface StepReport {
  step: string;
  ok: boolean;
  detail: string;
}

/** The page after the last step. */
export interface LoggedInPage {
  /** Without query and fragment, which may hold a token. */
  url: string;
  title: string;
}

/** The names of the secrets that the steps need. */
export function secretNamesOf({ steps }: Pick<LogIn, "steps">): string[] {
  return [...new Set(steps.flatMap((step) => ("with" in step ? [step.with] : [])))];
}

/** For people. It has the name of a secret, not its value. */
export function describeStep(step: LogInStep): string {
  if ("open" in step) return `open ${step.open}`;
  if ("fill" in step) return `fill ${step.fill} with ${step.with}`;
  if ("click" in step) return `click ${step.click}`;
  return `wait for ${step.waitFor}`;
}

/**
 * The hosts to which a log-in goes and posts: those of the session, those of the URLs that it opens, and those that it
 * names. `sessionHosts`: as `matchesHost` reads them.
 */
export function hostsOfLogIn({ hosts, steps }: LogIn, sessionHosts: readonly string[]): string[] {
  const opened = steps.flatMap((step) => ("open" in step ? [new URL(step.open).host] : []));
  return [...new Set([...sessionHosts, ...opened, ...hosts])];
}

/** `host`: a `URL.host`. */
export function isLogInHost(hosts: readonly string[], host: string): boolean {
  return hosts.some((pattern) => matchesHost(pattern, host));
}

/** What a page wants that only a person can give. */
export type AsksPerson = "code" | "captcha";

const PERSON: Record<AsksPerson, string> = {
  code: "it asks for a one-time code",
  captcha: "it asks for a captcha",
};

/** Why a log-in needs a person, and what to do. */
export function describePerson(asks: AsksPerson, session: string): string {
  return `${PERSON[asks]}, which needs a person. Log in with your own browser, save its cookies, and bring them: orbweaver session add ${session} --cookie-file FILE`;
}

/** What a browser did and saw. */
export interface LogInSeen {
  /** One for each step that was begun: the first that is not ok is the last. */
  steps: StepReport[];
  page: LoggedInPage | null;
  asks: AsksPerson | null;
  /** Whether the page looks signed in; null if nobody has said how, or it cannot be told. */
  marked: boolean | null;
  /** Whether it has a field for a password. */
  asksPassword: boolean;
  /** A JPEG; a sentence says why there is none. */
  picture: Uint8Array | string;
}

/** What may be shown of a log-in. Times are milliseconds since the Unix epoch. */
export interface LogInFacts extends LogIn {
  perDay: number;
  /** Log-ins of the account within 24 hours. */
  today: number;
  doneAt: number | null;
  /** Why the last one failed, for people; null if it did not. */
  failedWhy: string | null;
}

export interface SessionCheck {
  /** What the browser did and saw; null if it did nothing. */
  done: LogInSeen | null;
  /** Why the browser did nothing, for people; null if it did, or nobody knows. */
  notDone: string | null;
  /** Why the session does not work, for people: its log-in failed, or its page asks to log in. null: it may work. */
  why: string | null;
  /** The page that was compared; null if none was. */
  url: string | null;
  /** Whether it looks signed in with the session; null if nobody has said how a page looks then. */
  marked: boolean | null;
  /** How the page turns strangers away, for people; null if it does not, or nobody knows. */
  strangers: string | null;
  /** A mark that its page has and that of a stranger lacks; null if none was found. */
  proposed: string | null;
  /** Why the page could not be compared, for people. */
  problem: string | null;
}

import type { Crawl } from "../../../crawl/crawl.ts";
import { isForHost } from "../../../crawl/session.ts";
import type { Secrets } from "../../../fetch/answer/answer.ts";
import {
  type AnswerCookies,
  hideValues,
  readSecrets,
  type SessionSecrets,
  secretsFor,
  storeAnswers,
  writeSecrets,
} from "../../../fetch/request/session-secrets.ts";
import type { OpenSession } from "../../../store/installation/sessions.ts";
import { hostOf } from "../../../url/host-key.ts";
import type { Deps } from "../../deps.ts";
import type { Opening } from "../feature.ts";

/** The sessions of a lane's crawls: what a request carries of them, and what answers change of them. */

type SessionDeps = Pick<Deps, "clock" | "sessions">;

export class LaneSession {
  session: OpenSession;
  readonly #deps: SessionDeps;
  #secrets: SessionSecrets;
  /** What answers have set, and is not stored yet. */
  #answers: AnswerCookies[] = [];

  constructor(session: OpenSession, deps: SessionDeps) {
    this.session = session;
    this.#deps = deps;
    this.#secrets = readSecrets(session.content);
  }

  /** Whether it holds nothing yet, and its log-in would bring something. */
  get isToLogIn(): boolean {
    const { cookies, headers } = this.#secrets;
    return this.session.logIn !== null && cookies.length + headers.length === 0;
  }

  /** Takes up what a log-in has brought. False if the session is gone. */
  async reopen(): Promise<boolean> {
    const found = (await this.#deps.sessions.open([this.session.name])).get(this.session.name);
    if (found === undefined || "why" in found) return false;
    this.session = found;
    this.#secrets = readSecrets(found.content);
    this.#answers = [];
    return true;
  }

  goesTo(url: string): boolean {
    return isForHost(this.session, hostOf(url));
  }

  secretsFor(url: string): Secrets {
    return secretsFor(this.#secrets, this.session, url, this.#deps.clock.now());
  }

  /** Notes what an answer sets. The next request carries it. */
  receive(url: string, setCookies: readonly string[]): void {
    if (setCookies.length === 0 || !this.goesTo(url)) return;
    this.#answers.push({ url, setCookies });
    this.#secrets = storeAnswers(this.#secrets, [{ url, setCookies }], this.#deps.clock.now());
  }

  /** Stores what answers have set: a server that gives a new cookie with each answer takes no older one. */
  async store(): Promise<void> {
    const answers = this.#answers;
    if (answers.length === 0) return;
    this.#answers = [];
    const { clock, sessions } = this.#deps;
    const change = (content: string) => writeSecrets(storeAnswers(readSecrets(content), answers, clock.now()));
    const content = await sessions.change(this.session, change).catch((error: unknown) => {
      this.#answers = [...answers, ...this.#answers];
      throw error;
    });
    // Lanes of other hosts have changed it too.
    if (content !== null) this.#secrets = storeAnswers(readSecrets(content), this.#answers, clock.now());
  }

  /** The result as others may see it. Only whether its cookies have changed matters to a chain of redirects. */
  async hide<T extends { setCookies?: string[] }>(url: string, result: T): Promise<T> {
    const { setCookies = [] } = result;
    return setCookies.length === 0 || !this.goesTo(url)
      ? result
      : { ...result, setCookies: await hideValues(setCookies) };
  }
}

/** The sessions of a lane. A crawl whose session cannot be used has a reason in its place, for people. */
export type LaneSessions = ReadonlyMap<Crawl["id"], LaneSession | { why: string }>;

/** Opened once for all features of a lane. */
const opened = new WeakMap<Opening, Promise<LaneSessions>>();

export function laneSessions(opening: Opening): Promise<LaneSessions> {
  const known = opened.get(opening) ?? openSessions(opening);
  opened.set(opening, known);
  return known;
}

async function openSessions({ works, deps }: Opening): Promise<LaneSessions> {
  const named = new Map(works.map(({ row, context }) => [row.crawl, context.crawl.options.session]));
  const names = [...new Set([...named.values()].filter((name) => name !== ""))];
  if (names.length === 0) return new Map();
  const sessions = await deps.sessions.open(names);
  // Crawls of one session share what its answers set.
  const open = new Map(
    [...sessions].map(([name, session]) => [name, "why" in session ? session : new LaneSession(session, deps)]),
  );
  return new Map([...named].flatMap(([crawl, name]) => [[crawl, open.get(name)] as const]).filter(isThere));
}

function isThere(
  entry: readonly [string, LaneSession | { why: string } | undefined],
): entry is [string, LaneSession | { why: string }] {
  return entry[1] !== undefined;
}

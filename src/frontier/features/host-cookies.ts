import type { Answered, FetchResult } from "../../crawl/page/outcome.ts";
import type { Secrets } from "../../fetch/answer/answer.ts";
import { type CookieJar, cookieHeader, readJar, storeCookies, writeJar } from "../../fetch/request/cookie-jar.ts";
import type { AskAgain } from "../../store/ledger/asking-again.ts";
import { hostKey } from "../../url/host-key.ts";
import type { Deps } from "../deps.ts";
import type { Answer } from "../lane/lane-driver.ts";
import type { PageWork } from "../work.ts";
import type { Feature, Findings, Opening, PageSteps } from "./feature.ts";
import { LaneSession, type LaneSessions, laneSessions } from "./session/lane-session.ts";

/**
 * Cookies of a host. Those of a chain of redirects stand in the row of the URL to which it leads. A crawl that
 * keeps cookies has a jar for each host; one lane at a time has the host, so nobody else writes to it. On the hosts of
 * a session, its cookies are all that is sent, and what answers set is its own.
 */
export const cookies: Feature = {
  /** Only a lane sends requests. */
  open: async (opening) => (opening.document === null ? LaneCookies.open(opening) : null),
  gather: async (findings) => ({ askAgain: await gatherReturns(findings) }),
};

class LaneCookies implements PageSteps {
  readonly #host: string;
  readonly #deps: Pick<Deps, "clock" | "cookies">;
  readonly #sessions: LaneSessions;
  /** By crawl, of the crawls that keep cookies. */
  readonly #jars: Map<string, CookieJar>;
  /** As they are stored. */
  readonly #stored: ReadonlyMap<string, string>;

  private constructor(
    host: string,
    stored: ReadonlyMap<string, string>,
    crawls: readonly string[],
    sessions: LaneSessions,
    deps: Pick<Deps, "clock" | "cookies">,
  ) {
    this.#host = host;
    this.#sessions = sessions;
    this.#stored = stored;
    this.#jars = new Map(crawls.map((crawl) => [crawl, readJar(stored.get(crawl) ?? null)]));
    this.#deps = deps;
  }

  static async open(opening: Opening): Promise<LaneCookies> {
    const { host, works, deps } = opening;
    const keeping = works.filter(({ context }) => context.crawl.options.keepCookies).map(({ row }) => row.crawl);
    const crawls = [...new Set(keeping)];
    const stored = crawls.length === 0 ? new Map<string, string>() : await deps.cookies.read(crawls, host);
    return new LaneCookies(host, stored, crawls, await laneSessions(opening), deps);
  }

  /** `row.url`: on any host that a drawn page asks. */
  secrets({ row }: PageWork): Secrets {
    const session = this.#sessionAt(row);
    if (session !== null) return session.secretsFor(row.url);
    if (hostKey(row.url) !== this.#host) return {};
    // The host's jar has all that a chain has set for it, and knows what has been replaced or removed since.
    const jar = this.#jars.get(row.crawl) ?? readJar(row.cookies);
    const cookie = cookieHeader(jar, row.url, this.#deps.clock.now());
    return cookie === null ? {} : { cookie };
  }

  /** Stores what an answer sets, for a crawl that keeps cookies. */
  receive({ row }: PageWork, { setCookies = [] }: Pick<Answered, "setCookies">): void {
    const session = this.#sessionAt(row);
    if (session !== null) {
      session.receive(row.url, setCookies);
      return;
    }
    const jar = this.#jars.get(row.crawl);
    if (jar === undefined || setCookies.length === 0 || hostKey(row.url) !== this.#host) return;
    this.#jars.set(row.crawl, storeCookies(jar, row.url, setCookies, this.#deps.clock.now()));
  }

  /** No cookie of a session is left in what follows. */
  async after({ row }: PageWork, { result }: Answer<FetchResult>): Promise<FetchResult> {
    const session = this.#sessionAt(row);
    if (session === null) return result;
    await session.store();
    return session.hide(row.url, result);
  }

  /** Writes the jars that have changed. */
  async close(): Promise<void> {
    for (const session of this.#sessions.values()) if (session instanceof LaneSession) await session.store();
    for (const [crawl, jar] of this.#jars) {
      const written = writeJar(jar) ?? "[]";
      if (written !== (this.#stored.get(crawl) ?? "[]")) await this.#deps.cookies.write(crawl, this.#host, written);
    }
  }

  /** Null where the crawl has no session, or it does not go there. */
  #sessionAt({ crawl, url }: Pick<PageWork["row"], "crawl" | "url">): LaneSession | null {
    const session = this.#sessions.get(crawl);
    return session instanceof LaneSession && session.goesTo(url) ? session : null;
  }
}

/**
 * Finds the redirects that lead back into their own chain with other cookies than before. A site that sets a cookie and
 * sends its visitor back gives the page at the second request.
 */
async function gatherReturns({ queued, gathering, deps }: Findings): Promise<AskAgain[]> {
  const leading = queued.flatMap(({ work, outcome, redirect, cookies }) => {
    const { url, redirects } = work.row;
    if (redirect === null || cookies === null || (redirects === 0 && redirect !== url)) return [];
    return [{ url: redirect, page: url, fetchedAt: outcome.fetchedAt, redirects: redirects + 1, cookies }];
  });
  if (leading.length === 0) return [];
  const before = await deps.ledger.returns(
    gathering.context.crawl.id,
    leading.map(({ url, page }) => ({ url: page, target: url })),
  );
  const now = deps.clock.now();
  const changed = leading.filter(({ url, page, cookies }) => {
    const asked = before.get(page);
    if (asked === undefined) return false;
    return cookieHeader(readJar(cookies), url, now) !== cookieHeader(readJar(asked), url, now);
  });
  return [...new Map(changed.map((again) => [again.url, again])).values()];
}

import type { Answered } from "../crawl/outcome.ts";
import type { Secrets } from "../fetch/answer.ts";
import { type CookieJar, cookieHeader, readJar, storeCookies, writeJar } from "../fetch/cookie-jar.ts";
import type { Lane } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { secretsOf } from "./request-of-work.ts";
import type { PageWork } from "./work.ts";

/**
 * The cookies of a lane. Those of a chain of redirects stand in the row of the URL to which it leads. A crawl that
 * keeps cookies has a jar for each host; one lane at a time has the host, so nobody else writes to it.
 */
export class LaneCookies {
  readonly #host: string;
  readonly #deps: Deps;
  /** By crawl, of the crawls that keep cookies. */
  readonly #jars: Map<string, CookieJar>;
  /** As they are stored. */
  readonly #stored: ReadonlyMap<string, string>;

  private constructor(host: string, stored: ReadonlyMap<string, string>, crawls: readonly string[], deps: Deps) {
    this.#host = host;
    this.#stored = stored;
    this.#jars = new Map(crawls.map((crawl) => [crawl, readJar(stored.get(crawl) ?? null)]));
    this.#deps = deps;
  }

  static async open({ host, going }: Lane, deps: Deps): Promise<LaneCookies> {
    const keeping = going.filter(({ context }) => context.crawl.options.keepCookies).map(({ row }) => row.crawl);
    const crawls = [...new Set(keeping)];
    const stored = crawls.length === 0 ? new Map<string, string>() : await deps.cookies.read(crawls, host);
    return new LaneCookies(host, stored, crawls, deps);
  }

  /** The Cookie header of a request; null if it has none. */
  headerFor({ row }: PageWork): string | null {
    // The host's jar has all that a chain has set for it, and knows what has been replaced or removed since.
    const jar = this.#jars.get(row.crawl) ?? readJar(row.cookies);
    return cookieHeader(jar, row.url, this.#deps.clock.now());
  }

  /** What is secret of a request in this lane. */
  secretsFor(work: PageWork): Secrets {
    return secretsOf(work.row.url, work.context, this.headerFor(work));
  }

  /** Stores what an answer sets, for a crawl that keeps cookies. */
  receive({ row }: PageWork, { setCookies = [] }: Pick<Answered, "setCookies">): void {
    const jar = this.#jars.get(row.crawl);
    if (jar === undefined || setCookies.length === 0) return;
    this.#jars.set(row.crawl, storeCookies(jar, row.url, setCookies, this.#deps.clock.now()));
  }

  /** Writes the jars that have changed. */
  async save(): Promise<void> {
    for (const [crawl, jar] of this.#jars) {
      const written = writeJar(jar) ?? "[]";
      if (written !== (this.#stored.get(crawl) ?? "[]")) await this.#deps.cookies.write(crawl, this.#host, written);
    }
  }
}

import { LRUCache } from "lru-cache";
import { type AnswerMark, countAlike } from "../../changes/walls/answer-marks.ts";
import type { WatchHosts } from "../../store/watches/watch-hosts.ts";

/**
 * The answers of pages that lately lost their text, by their marks. The ledger has those of settled visits; this
 * isolate also knows those of the batch that it is working on, which settles all pages of a host together.
 */

interface Answer {
  marks: ReadonlySet<string>;
  at: number;
}

/** An answer that was found by a visit. */
export interface FoundAnswer {
  crawl: string;
  host: string;
  url: string;
  marks: readonly AnswerMark[];
  now: number;
  /** Older answers of other pages do not count. */
  since: number;
}

interface AnswerDeps {
  watchHosts: Pick<WatchHosts, "answers">;
}

/** Answers of one host that are remembered. A few that are alike are enough. */
const MOST_ANSWERS = 100;

export class RecentAnswers {
  readonly #byHost = new LRUCache<string, Map<string, Answer>>({ max: 200 });

  /** Notes the answer, and returns the number of other pages of the host that answer alike. */
  async count(found: FoundAnswer, deps: AnswerDeps): Promise<number> {
    const { crawl, host, url, marks, now } = found;
    const alike = await this.countAlike(found, deps);
    const known = this.#byHost.get(`${crawl} ${host}`) ?? new Map<string, Answer>();
    this.#byHost.set(`${crawl} ${host}`, known);
    known.delete(url);
    known.set(url, { marks: new Set(marks.map(({ mark }) => mark)), at: now });
    const [oldest] = known.keys();
    if (known.size > MOST_ANSWERS && oldest !== undefined) known.delete(oldest);
    return alike;
  }

  /** The number of other pages of the host that answer alike. Nothing is noted. */
  async countAlike({ crawl, host, url, marks, now, since }: FoundAnswer, { watchHosts }: AnswerDeps): Promise<number> {
    const settled = await watchHosts.answers(crawl, host, since, MOST_ANSWERS);
    const known = this.#byHost.get(`${crawl} ${host}`) ?? new Map<string, Answer>();
    const others = new Map([...settled, ...recentOf(known, since, now)]);
    others.delete(url);
    return countAlike(marks, others);
  }
}

/** Without those of a clock that was ahead, and was set back since. */
function recentOf(known: ReadonlyMap<string, Answer>, since: number, now: number): [string, ReadonlySet<string>][] {
  return [...known].filter(([, { at }]) => at >= since && at <= now).map(([url, { marks }]) => [url, marks]);
}

import { inTime } from "../../core/in-time.ts";
import {
  type CrawlHook,
  type DuePage,
  type FoundUrl,
  HOOK_LIMIT_MS,
  type HookPoint,
  type OnDue,
  type OnFound,
  type OnRead,
  type ReadPage,
} from "../../crawl/subject/hook.ts";
import { readDueAnswers, readFoundAnswers, readReadAnswers } from "../../crawl/subject/hook-answers.ts";

/** Calls the hook, a Worker of the operator's own, and reads what it answers. */

/** A call failed: the hook threw, was late, or answered what cannot be used. The message is for people. */
export class HookProblem extends Error {}

/** Points that the hook of this isolate does not have. A deployment of the hook alone is seen by new isolates. */
export type MissingPoints = Set<HookPoint>;

/** Workerd's message for a method that an entrypoint lacks. */
const LACKS = /does not implement the method/;

export class HookCaller {
  readonly #hook: CrawlHook;
  readonly #missing: MissingPoints;
  readonly #limitMs: number;

  constructor(hook: CrawlHook, missing: MissingPoints, limitMs = HOOK_LIMIT_MS) {
    this.#hook = hook;
    this.#missing = missing;
    this.#limitMs = limitMs;
  }

  /** Whether a question about a point leads to a call. */
  calls(point: HookPoint): boolean {
    return !this.#missing.has(point);
  }

  /** Throws HookProblem, like the others. */
  async urlsFound(urls: FoundUrl[]): Promise<OnFound[]> {
    return this.#ask("urlsFound", urls, readFoundAnswers);
  }

  async pagesDue(pages: DuePage[]): Promise<OnDue[]> {
    return this.#ask("pagesDue", pages, readDueAnswers);
  }

  async pagesRead(pages: ReadPage[]): Promise<OnRead[]> {
    return this.#ask("pagesRead", pages, readReadAnswers);
  }

  async #ask<Item, Verdict extends object>(
    point: HookPoint,
    items: Item[],
    read: (answers: unknown, count: number) => Verdict[],
  ): Promise<Verdict[]> {
    if (items.length === 0 || this.#missing.has(point)) return items.map(() => ({}) as Verdict);
    // A binding has a method of any name, and an object of a test has those that it has. Each name after a method of a
    // binding is asked for there, so `method.call` would be another method.
    const hook = this.#hook as Partial<Record<HookPoint, (items: Item[]) => unknown>>;
    const late = () => new Error(`it did not answer within ${this.#limitMs / 1_000} s`);
    try {
      if (hook[point] === undefined) throw new TypeError("it does not implement the method");
      return read(await inTime(Promise.resolve(hook[point](items)), this.#limitMs, late), items.length);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!LACKS.test(message)) throw new HookProblem(`${point}: ${message.slice(0, 500)}`);
      this.#missing.add(point);
      return items.map(() => ({}) as Verdict);
    }
  }
}

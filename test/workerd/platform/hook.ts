import type {
  DuePage,
  FoundUrl,
  HookPoint,
  OnDue,
  OnFound,
  OnRead,
  ReadPage,
} from "../../../src/crawl/subject/hook.ts";
import { HookCaller } from "../../../src/frontier/hook/hook-caller.ts";
import type { Invocation } from "./invocation.ts";
import { Network, type Surroundings } from "./network.ts";

/**
 * A model of the installation's hook: it decides by rules, and so the same at any time. It throws on some URLs always,
 * and now and then a call of it fails or takes too long.
 */

/** What the hook does about a URL. */
export interface HookRule {
  refuse?: boolean;
  priority?: number;
  /** Where it drops the page. */
  drop?: "pagesDue" | "pagesRead";
  links?: string[];
  /** Characters of the fields that it adds. */
  fieldChars?: number;
  /** Whether its fields begin with the text of the page. */
  saysText?: boolean;
  /** Where it throws for a list that holds the URL. */
  throwsAt?: HookPoint;
}

export type HookRules = ReadonlyMap<string, HookRule>;

/** As hook-answers.ts. */
const MAX_VALUE = 10_000;
const MAX_LIST = 100;
/** More than the time that a call has. */
const LATE_MS = 20_000;

export class ModelHook {
  readonly #rules: HookRules;
  readonly #around: Surroundings;
  readonly #network: Network;
  /** URLs that a failed call has met: a page for which the hook fails twice ends by that. */
  readonly #struck = new Set<string>();

  constructor(rules: HookRules, around: Surroundings) {
    this.#rules = rules;
    this.#around = around;
    this.#network = new Network(around);
  }

  /** The binding of an invocation. */
  callerOf(invocation: Invocation): HookCaller {
    const call =
      <Item extends { url: string; via: string | null }, Verdict>(
        point: HookPoint,
        verdictOf: (rule: HookRule, item: Item) => Verdict | null,
      ) =>
      async (items: readonly Item[]) => {
        invocation.startWorker();
        await this.#reach(invocation, items);
        // Its URLs are asked about alone now, and a second failure would end them.
        if (items.some(({ url }) => this.#rules.get(url)?.throwsAt === point))
          for (const { url } of items) this.#struck.add(url);
        return items.map((item) => {
          const rule = this.#rules.get(item.url) ?? {};
          if (rule.throwsAt === point) throw new Error(`it cannot read ${item.url}`);
          return verdictOf(rule, item);
        });
      };
    return new HookCaller(
      {
        urlsFound: call<FoundUrl, OnFound>("urlsFound", ({ refuse, priority }) => ({
          ...(refuse === true ? { refuse: "not wanted" } : {}),
          ...(priority === undefined ? {} : { priority }),
        })),
        pagesDue: call<DuePage, OnDue>("pagesDue", ({ drop }) => (drop === "pagesDue" ? { drop: "not now" } : null)),
        pagesRead: call<ReadPage, OnRead>("pagesRead", ({ drop, links }, { url, text }) => {
          const fields = this.fieldsOf(url, text);
          return {
            ...(drop === "pagesRead" ? { drop: "not this" } : {}),
            ...(links === undefined ? {} : { links }),
            ...(fields === null ? {} : { fields }),
          };
        }),
      },
      new Set(),
    );
  }

  /** The fields of a page that it does not drop, and that says this; null if it gives none. */
  fieldsOf(url: string, text = ""): Record<string, string[]> | null {
    const { fieldChars, saysText } = this.#rules.get(url) ?? {};
    return fieldChars === undefined ? null : fieldsOf(fieldChars, saysText === true ? text : "");
  }

  /** Whether no text of a page is ever stored: it is not crawled, it is dropped, or each call about it fails. */
  keepsOut(url: string): boolean {
    const { refuse, drop, throwsAt } = this.#rules.get(url) ?? {};
    return refuse === true || drop === "pagesRead" || throwsAt === "pagesRead";
  }

  drops(url: string): boolean {
    return this.#rules.get(url)?.drop !== undefined;
  }

  refuses(url: string): boolean {
    return this.#rules.get(url)?.refuse === true;
  }

  /** The way there, and its faults. */
  async #reach(invocation: Invocation, items: readonly { url: string; via: string | null }[]): Promise<void> {
    const { time, faults } = this.#around;
    const urls = items.flatMap(({ url, via }) => [url, ...(via === null ? [] : [via])]);
    const isStruck = urls.some((url) => this.#struck.has(url));
    if (isStruck) {
      await time.sleep(20);
      return invocation.alive();
    }
    const isLate = faults.strikes("hook late", 0.5);
    const call = { name: "hook", latencyMs: isLate ? LATE_MS : 20, effect: () => undefined, isPrompt: true };
    if (isLate) for (const url of urls) this.#struck.add(url);
    await this.#network.call(invocation, call).catch((error: unknown) => {
      for (const url of urls) this.#struck.add(url);
      throw error;
    });
  }
}

/** Fields of so many characters, as many to a field as a hook may give. Each value begins with `text`. */
function fieldsOf(chars: number, text: string): Record<string, string[]> {
  const value = text.padEnd(Math.min(chars, MAX_VALUE), ".");
  const values = Array.from({ length: Math.ceil(chars / MAX_VALUE) }, () => value);
  const lists = Array.from({ length: Math.ceil(values.length / MAX_LIST) }, (_, i) =>
    values.slice(i * MAX_LIST, (i + 1) * MAX_LIST),
  );
  return Object.fromEntries(lists.map((list, i) => [`f${i}`, list]));
}

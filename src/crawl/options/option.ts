/**
 * A row of the table of options. Plain data: the API's schema, the flags with their help, the console's form, the tool
 * of agents and the documents are made of it, so the command line may import it.
 */

/** How an option is written: in JSON, as the value of a flag and in a form. */
export type Kind =
  | "integer"
  | "number"
  | "switch"
  | "choice"
  | "choices"
  /** Seconds in JSON, such as `7d` elsewhere. */
  | "interval"
  /** Seconds since 1970 in JSON. */
  | "date"
  | "text"
  /** A list of texts. */
  | "lines"
  /** Names with values, such as headers. */
  | "pairs"
  /** Search forms with what to write into them. */
  | "forms"
  /** Rules of fields, which are JSON everywhere. */
  | "rules"
  /** What a model is asked, likewise. */
  | "extraction"
  | "webhook";

export type Unit = "ms" | "s" | "days" | "bytes" | "bytes/s" | "tokens" | "px" | "US$" | "characters";

/** The words of units that the API's sentences end in. Sentences name the other units themselves. */
export const UNIT_WORDS: Partial<Record<Unit, string>> = {
  ms: "milliseconds",
  s: "seconds",
  days: "days",
  bytes: "bytes",
  tokens: "estimated tokens",
  px: "CSS pixels",
  characters: "characters",
};

export interface Texts {
  /**
   * What it does. Other options stand in it by their names in the API, in backticks; each door writes its own name of
   * them. The first sentences are the help of the flag.
   */
  sentence: string;
  /** A sentence that matters in JSON only. */
  inJson?: string;
  /**
   * The default in words, if a request may leave the option out and it follows from the installation or from other
   * options; empty if the option is then absent. `default` is then the value of crawls that an earlier version stored.
   */
  otherwise?: string;
  /** A request must have it. `default` is then the value of the command line. */
  required?: true;
  unit?: Unit;
  /** The label in the form. An option without one is not in the form. */
  label?: string;
  /** A value, for the empty form. */
  example?: string;
  /** The help of the flag; absent if the sentence says it. */
  flagHelp?: string;
  /** A note for the flag alone. */
  flagNote?: string;
  /** `crawl` alone has the flag. Otherwise all commands that plan a crawl have it. */
  flagOf?: "crawl";
  /** The page of docs/ that says more. */
  see?: string;
  /** Says what a new value does to a crawl that runs, which takes one. */
  amended?: string;
  /** The names in the request of Cloudflare's /crawl, and in that of Firecrawl's crawl or batch. */
  elsewhere?: { cloudflare?: string; firecrawl?: string };
}

export interface Option<V = unknown> extends Texts {
  kind: Kind;
  /** The flag with its value, such as `--depth <n>`. */
  flag: string | null;
  default: V;
  /** The value that an earlier version's crawls have, if it is not `default`. */
  stored?: V;
  /** The command line sends it without the flag, and the form suggests it. */
  suggested?: V;
  /** The value that a flag without one stands for, if it is not `true`. */
  flagValue?: V;
  min?: number;
  max?: number;
  choices?: readonly string[];
  /** The least number of choices. */
  least?: number;
}

/** Rows may add texts, and values of their own type. */
type Rest<V> = Texts & Pick<Option<V>, "stored" | "suggested" | "flagValue">;

const bounded =
  <const K extends Kind>(kind: K) =>
  <const R extends Rest<number>>(flag: string | null, min: number, max: number, preset: number, rest: R) =>
    ({ kind, flag, min, max, default: preset, ...rest }) as const;

export const integer = bounded("integer");
export const number = bounded("number");
export const interval = bounded("interval");

/** An option whose value has a schema of its own in the API. */
export const special = <V, const K extends Kind, const R extends Rest<V>>(
  flag: string | null,
  kind: K,
  preset: V,
  rest: R,
) => ({ kind, flag, default: preset, ...rest }) as const;

export const flag = <const R extends Rest<boolean>>(flag: string | null, preset: boolean, rest: R) =>
  special(flag, "switch", preset, rest);
export const text = <const R extends Rest<string>>(flag: string | null, rest: R) =>
  special(flag, "text", "" as string, rest);
export const lines = <const R extends Rest<string[]>>(flag: string | null, rest: R) =>
  special(flag, "lines", [] as string[], rest);
export const choice = <const W extends string, const R extends Rest<W>>(
  flag: string | null,
  choices: readonly W[],
  preset: NoInfer<W>,
  rest: R,
) => ({ ...special(flag, "choice", preset as W, rest), choices });
export const choices = <const W extends string, const R extends Rest<NoInfer<W>[]>>(
  flag: string | null,
  words: readonly W[],
  preset: NoInfer<W>[],
  least: number,
  rest: R,
) => ({ ...special(flag, "choices", preset as W[], rest), choices: words, least });

import { BROWSER_OPTIONS } from "./browser-options.ts";
import { CONTENT_OPTIONS } from "./content-options.ts";
import { LIMIT_OPTIONS } from "./limit-options.ts";
import { NOTICE_OPTIONS } from "./notice-options.ts";
import type { Option } from "./option.ts";
import { POLITENESS_OPTIONS } from "./politeness-options.ts";
import { ROBOTS_OPTIONS } from "./robots-options.ts";
import { SCOPE_OPTIONS } from "./scope-options.ts";
import { SESSION_OPTIONS } from "./session-options.ts";
import { START_OPTIONS } from "./start-options.ts";
import { SUBJECT_OPTIONS } from "./subject-options.ts";
import { TRAP_OPTIONS } from "./trap-options.ts";
import { WATCH_OPTIONS } from "./watch-options.ts";

/**
 * The table of all options of a crawl, by their paths in a request. The groups are those of the form, of the help and
 * of the documents, in this order.
 */

export const OPTION_GROUPS = {
  Start: START_OPTIONS,
  Scope: SCOPE_OPTIONS,
  Subject: SUBJECT_OPTIONS,
  Browser: BROWSER_OPTIONS,
  Politeness: POLITENESS_OPTIONS,
  "Log-in": SESSION_OPTIONS,
  Limits: LIMIT_OPTIONS,
  Content: CONTENT_OPTIONS,
  Notices: NOTICE_OPTIONS,
  Watch: WATCH_OPTIONS,
  Robots: ROBOTS_OPTIONS,
  Traps: TRAP_OPTIONS,
} satisfies Record<string, Record<string, Option>>;

type Groups = typeof OPTION_GROUPS;
type All<Rows> = (Rows extends unknown ? (rows: Rows) => void : never) extends (rows: infer Each) => void
  ? Each
  : never;

export type Options = All<Groups[keyof Groups]>;
export const OPTIONS: Options = Object.assign({}, ...Object.values(OPTION_GROUPS));
export type OptionPath = keyof Options;

export const OPTION_ROWS = Object.entries(OPTIONS) as [OptionPath, Option][];

/** The part of a path before its first dot, and the rows below that. */
export type Head<Path> = Path extends `${infer First}.${string}` ? First : Path;
export type Below<Rows, First extends string> = {
  [Path in keyof Rows as Path extends `${First}.${infer Rest}` ? Rest : never]: Rows[Path];
};

/** The values of rows, as objects within objects. */
export type Values<Rows> = {
  [First in Head<keyof Rows> & string]: First extends keyof Rows
    ? Rows[First] extends { default: infer Value }
      ? Value
      : never
    : Values<Below<Rows, First>>;
};

/** Puts a value at its path into objects within objects. Those that it changes must be the caller's own. */
export function setAt(target: Record<string, unknown>, path: string, value: unknown): void {
  const [first = "", ...rest] = path.split(".");
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = (target[first] ?? {}) as Record<string, unknown>;
  target[first] = inner;
  setAt(inner, rest.join("."), value);
}

/** The values of crawls that an earlier version stored, where it did not know the option. */
export function storedDefaults(): Values<Options> {
  const values: Record<string, unknown> = {};
  for (const [path, row] of OPTION_ROWS) setAt(values, path, "stored" in row ? row.stored : row.default);
  return values as Values<Options>;
}

/** The names of options in a sentence, as a door says them: `nameOf` gives null for a word that it keeps as it is. */
export function nameOptions(sentence: string, nameOf: (path: OptionPath) => string | null): string {
  return sentence.replace(/`([a-zA-Z]+)`/g, (written, name: string) => {
    const found = OPTION_ROWS.find(([path]) => path === name || path.endsWith(`.${name}`));
    return (found && nameOf(found[0])) ?? written;
  });
}

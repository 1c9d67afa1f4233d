import type { ListEntry } from "../../crawl/lists/list-entry.ts";
import { type InvalidEntry, pageOf, whyInvalid } from "../../crawl/lists/page-url.ts";
import { hasUserInfo } from "../../url/user-info.ts";
import { UserError } from "../errors.ts";
import { nameOf, readFileOf } from "./open-list.ts";

/** Reads the file of `--expect`: where each URL should lead, and with which status. */

export interface Expectation {
  /** Canonical. */
  from: string;
  /** Canonical; null if any target will do, or none is expected. */
  to: string | null;
  /** Of the redirects, or of the answer if no redirect is expected; null if any will do. */
  status: number | null;
  /** Such as `line 12`. */
  place: string;
}

export interface RedirectMap {
  name: string;
  expectations: Expectation[];
  invalid: InvalidEntry[];
  /** Lines that say the same again. */
  duplicates: number;
}

const TO = [
  ...[
    "to",
    "tourl",
    "target",
    "targeturl",
    "destination",
    "destinationurl",
    "new",
    "newurl",
    "redirecturl",
    "redirectto",
  ],
  ...["expected", "expectedurl", "finalurl", "finaladdress"],
];
const STATUS = ["status", "statuscode", "code", "httpstatus", "redirecttype", "type"];
/** The words that people write for a kind of redirect. */
const WORDS: Record<string, number> = { permanent: 301, temporary: 302, gone: 410 };

/** Throws UserError. */
export async function openRedirectMap(file: string): Promise<RedirectMap> {
  const name = nameOf(file);
  return readRedirectMap(await readFileOf("--expect", file), name);
}

/** Throws UserError if it has no expectation, or two that cannot hold together. */
export function readRedirectMap(entries: readonly ListEntry[], name: string): RedirectMap {
  const byFrom = new Map<string, Expectation>();
  const invalid: InvalidEntry[] = [];
  let duplicates = 0;
  for (const entry of entries) {
    const read = toExpectation(entry);
    if (typeof read === "string") {
      invalid.push({ place: `line ${entry.line}`, text: [entry.text, ...entry.rest].join(" "), why: read });
      continue;
    }
    const before = byFrom.get(read.from);
    if (before === undefined) byFrom.set(read.from, read);
    else if (before.to === read.to && before.status === read.status) duplicates += 1;
    else
      throw new UserError(
        `--expect: ${name}: ${before.place} and ${read.place} expect different things of ${read.from}. Remove one of them.`,
        2,
      );
  }
  if (byFrom.size === 0 && invalid.length === 0)
    throw new UserError(`--expect: ${name} expects nothing: it has no URLs.`, 2);
  return { name, expectations: [...byFrom.values()], invalid, duplicates };
}

/** What is wrong, for an entry that is none. */
function toExpectation({ text, rest, named, line }: ListEntry): Expectation | string {
  const from = pageOf(text);
  if (from === null) return hasUserInfo(text) ? whyInvalid({ text }) : "it does not begin with a URL";
  const cells = rest.filter((cell) => cell !== "" && !/^(?:->|=>|→)$/.test(cell));
  const namedStatus = named === undefined ? undefined : cellOf(named, STATUS);
  const statuses = (namedStatus === undefined ? cells : [namedStatus]).flatMap((cell) => statusOf(cell) ?? []);
  const namedTo = named === undefined ? undefined : cellOf(named, TO);
  const targets =
    namedTo === undefined ? cells.filter((cell) => statusOf(cell) === null).slice(0, 1) : [namedTo].filter(Boolean);
  const [status = null] = statuses;
  const [written] = targets;
  if (namedStatus && status === null) return `${namedStatus} is no HTTP status`;
  if (written === undefined && status === null) return "it says neither where it should lead nor with which status";
  const to = written === undefined ? null : targetOf(written, from);
  if (written !== undefined && to === null) return `${written} is no URL`;
  if (to !== null && to !== from && status !== null && status >= 400)
    return `a URL that answers ${status} leads nowhere, so no target can be expected`;
  return { from, to, status, place: `line ${line}` };
}

function cellOf(named: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  const name = names.find((known) => named.has(known));
  return name === undefined ? undefined : named.get(name);
}

function statusOf(cell: string): number | null {
  const word = WORDS[cell.toLowerCase()];
  if (word !== undefined) return word;
  // Some lists mark a redirect that must be made.
  const [, digits] = /^([1-5]\d\d)!?$/.exec(cell) ?? [];
  return digits === undefined ? null : Number(digits);
}

function targetOf(written: string, from: string): string | null {
  return written.startsWith("/") ? pageOf(URL.parse(written, from)?.href ?? "") : pageOf(written);
}

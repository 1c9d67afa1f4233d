import { plural } from "../core/shown-values.ts";
import type { WordEdit } from "../crawl/watch/telling.ts";

/** A notice in words: a subject of one line, and a text of several. It is made from the notice's body alone. */

export interface NoticeText {
  subject: string;
  /** Parts that stand by themselves, such as one for each page. */
  parts: string[];
  /** The page or seed that it is about; empty if there is none. */
  url: string;
}

interface ToldChange {
  url: string;
  kind: string;
  title: string | null;
  detail: string | null;
  changes?: number;
  fields?: { name: string; before: unknown; after: unknown }[];
  words?: WordEdit[] | null;
  wordsLeftOut?: number;
}

interface ToldEverywhere {
  host: string;
  pages: number;
  before: string | null;
  after: string | null;
}

interface NoticeBody {
  type: string;
  data: {
    crawl: string;
    url?: string | null;
    urls?: string[];
    title?: string | null;
    status?: string;
    total?: number;
    reason?: string | null;
    host?: string;
    state?: string;
    since?: string;
    why?: string | null;
    changes?: ToldChange[];
    pages?: ToldChange[];
    everywhere?: ToldEverywhere[];
  };
}

/** `body`: as the outbox has it. */
export function noticeText({ type, data }: NoticeBody): NoticeText {
  const [seed = ""] = data.urls ?? [];
  switch (type) {
    case "pages.changed":
      return textOfChanges(data.changes ?? [], []);
    case "pages.digest":
      return textOfChanges(data.pages ?? [], data.everywhere ?? []);
    case "watch.trouble":
      return textOfTrouble(data);
    case "crawl.page":
      return { subject: `Stored: ${data.title ?? data.url}`, parts: [data.url ?? ""], url: data.url ?? "" };
    case "webhook.test":
      return {
        subject: "A test notice of Orbweaver",
        parts: [`Notices of the crawl ${data.crawl} come here.`],
        url: "",
      };
    default: {
      const state = type.replace("crawl.", "");
      const why = data.reason == null ? "" : `: ${data.reason}`;
      const parts = [`${plural(data.total ?? 0, "URL")}, status ${data.status}. Crawl ${data.crawl}.`];
      return { subject: `Crawl ${state}${why}: ${seed}`, parts, url: seed };
    }
  }
}

function textOfChanges(changes: readonly ToldChange[], everywhere: readonly ToldEverywhere[]): NoticeText {
  const [first] = changes;
  const pages = new Set(changes.map(({ url }) => url)).size;
  const hosts = new Set(changes.map(({ url }) => URL.parse(url)?.host ?? url));
  const where = hosts.size === 1 ? [...hosts][0] : `${hosts.size} hosts`;
  const nameOf = ({ title, url }: ToldChange) => title || url;
  const subject =
    first === undefined
      ? `${plural(everywhere.length, "change")} of most pages of ${everywhere[0]?.host ?? ""}`
      : pages === 1
        ? `${capitalized(first.kind)}: ${nameOf(first)}`
        : `${pages} pages of ${where} have changed`;
  return {
    subject,
    parts: [...withoutRepeated(changes).map(textOfChange), ...everywhere.map(textOfEverywhere)],
    url: first?.url ?? "",
  };
}

/** A value by a model is told after the words that changed with it, which are said once. */
function withoutRepeated(changes: readonly ToldChange[]): ToldChange[] {
  const told = new Map<string, string>();
  return changes.map((change) => {
    const words = JSON.stringify(change.words);
    const isRepeated = change.words != null && told.get(change.url) === words && (change.fields?.length ?? 0) > 0;
    told.set(change.url, words);
    return isRepeated ? { ...change, words: null, wordsLeftOut: 0, detail: null } : change;
  });
}

export function textOfChange(change: ToldChange): string {
  const { kind, title, url, detail, fields = [], words, wordsLeftOut = 0, changes = 1 } = change;
  const times = changes > 1 ? `, ${changes} times` : "";
  const lines = [`${capitalized(kind)}${times}: ${title || url}`, url];
  for (const { name, before, after } of fields) lines.push(`${name}: ${shown(before)} -> ${shown(after)}`);
  if (words == null || words.length === 0 || detail?.startsWith("back to") === true) lines.push(...lineOf(detail));
  for (const { before, after } of words ?? []) {
    if (before !== null) lines.push(`- ${before}`);
    if (after !== null) lines.push(`+ ${after}`);
  }
  if (wordsLeftOut > 0) lines.push(`(and ${plural(wordsLeftOut, "further edit")})`);
  return lines.join("\n");
}

/** What most pages got at once: one thing, whatever the number of pages. */
export function textOfEverywhere({ host, pages, before, after }: ToldEverywhere): string {
  const lines = [`On most pages of ${host} at once (seen on ${plural(pages, "page")} and more):`];
  if (before !== null) lines.push(`- ${before}`);
  if (after !== null) lines.push(`+ ${after}`);
  return lines.join("\n");
}

function textOfTrouble({ host = "", url, state, since = "", why }: NoticeBody["data"]): NoticeText {
  const place = url ?? host;
  const subject = state === "began" ? `In trouble: ${place}` : `Well again: ${place}`;
  return { subject, parts: [`Since ${since}${why == null ? "" : `: ${why}`}.`], url: url ?? `https://${host}/` };
}

const lineOf = (text: string | null) => (text === null || text === "" ? [] : [text]);
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function shown(value: unknown): string {
  return value === null ? "none" : Array.isArray(value) ? value.join(", ") : String(value);
}

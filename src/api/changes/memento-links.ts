import { timestamp } from "../../archive/cdxj.ts";
import type { Memento, MementoChoice } from "../../crawl/watch/memento.ts";
import { toHttpDate } from "../../fetch/request/http-date.ts";
import { type ReplayPlace, replayPrefix, type TimeMapFormat } from "../replay/replay-address.ts";

/** Links between a URL, its mementos, its TimeGate and its TimeMap: RFC 7089, sections 2.2 and 5, and RFC 8288. */

/** The addresses of one URL in the replay. They have the key of the request, and work as long as it does. */
export interface MementoAddresses {
  /** The URL itself. */
  original: string;
  timeGate: string;
  timeMap(format: TimeMapFormat, digits?: string): string;
  memento(digits: string): string;
}

/** `origin`: that of the request. `url`: canonical. */
export function addressesOf(origin: string, { crawl, key }: ReplayPlace, url: string): MementoAddresses {
  const at = (timeMap: TimeMapFormat | null, digits: string | null) =>
    origin + replayPrefix({ crawl, key, timeMap, digits }) + url;
  return {
    original: url,
    timeGate: at(null, null),
    timeMap: (format, digits) => at(format, digits ?? null),
    memento: (digits) => at(null, digits),
  };
}

const LINK_FORMAT = "application/link-format";
/** Longer headers keep only the first three links. Node.js refuses answers whose headers exceed 16 KiB. */
const MAX_HEADER_CHARS = 8_000;

/** The headers of a memento, or of the TimeGate that chose it. */
export function mementoHeaders(
  addresses: MementoAddresses,
  choice: MementoChoice,
): { link: string; "memento-datetime": string } {
  const fixed = [
    link(addresses.original, "original"),
    link(addresses.timeGate, "timegate"),
    link(addresses.timeMap("link"), "timemap", { type: LINK_FORMAT }),
  ];
  const all = [...fixed, ...choiceLinks(addresses, choice)].join(", ");
  return {
    link: all.length <= MAX_HEADER_CHARS ? all : fixed.join(", "),
    "memento-datetime": toHttpDate(choice.chosen.time),
  };
}

/** Each memento once, in the order of time, with all its relations. */
function choiceLinks(addresses: MementoAddresses, { chosen, first, last, prev, next }: MementoChoice): string[] {
  const relations = new Map<Memento, string[]>();
  for (const [memento, relation] of [
    [first, "first"],
    [prev, "prev"],
    [chosen, null],
    [next, "next"],
    [last, "last"],
  ] as const) {
    if (memento === null) continue;
    relations.set(memento, [...(relations.get(memento) ?? []), ...(relation === null ? [] : [relation])]);
  }
  return [...relations].map(([memento, names]) => mementoLink(addresses, memento, names));
}

function mementoLink(addresses: MementoAddresses, { time }: Memento, relations: readonly string[]): string {
  const address = addresses.memento(timestamp(time));
  return link(address, [...relations, "memento"].join(" "), { datetime: toHttpDate(time) });
}

/** A canonical URL has no `>`. */
function link(address: string, relation: string, attributes: Record<string, string> = {}): string {
  const all = Object.entries({ rel: relation, ...attributes });
  return `<${address}>${all.map(([name, value]) => `; ${name}="${value}"`).join("")}`;
}

/** A part of a TimeMap. */
export interface TimeMapPage {
  /** The digits in its address; null for the first part. */
  digits: string | null;
  /** At least one, in the order of their times. */
  mementos: readonly Memento[];
  /** The first memento of the next part; null for the last part. */
  next: Memento | null;
}

/** RFC 7089, section 5, and section 5.1 for several parts: each names the next one. */
export function linkTimeMap(addresses: MementoAddresses, { digits, mementos, next }: TimeMapPage): string {
  const from = toHttpDate(mementos[0]?.time ?? 0);
  const until = toHttpDate(mementos.at(-1)?.time ?? 0);
  const lines = [
    link(addresses.original, "original"),
    link(addresses.timeMap("link", digits ?? undefined), "self", { type: LINK_FORMAT, from, until }),
    link(addresses.timeGate, "timegate"),
    ...mementos.map((memento, i) =>
      mementoLink(addresses, memento, [
        ...(i === 0 && digits === null ? ["first"] : []),
        ...(i === mementos.length - 1 && next === null ? ["last"] : []),
      ]),
    ),
  ];
  if (next !== null) {
    const address = addresses.timeMap("link", timestamp(next.time));
    lines.push(link(address, "timemap", { type: LINK_FORMAT, from: toHttpDate(next.time) }));
  }
  return `${lines.join(",\n")}\n`;
}

/** The same as JSON, in the shape of the Time Travel service (http://timetravel.mementoweb.org/guide/api/). */
export function jsonTimeMap(addresses: MementoAddresses, { digits, mementos, next }: TimeMapPage) {
  const list = mementos.map(({ time }) => ({
    datetime: new Date(time).toISOString(),
    uri: addresses.memento(timestamp(time)),
  }));
  const at = digits ?? undefined;
  return {
    original_uri: addresses.original,
    timegate_uri: addresses.timeGate,
    timemap_uri: { link_format: addresses.timeMap("link", at), json_format: addresses.timeMap("json", at) },
    mementos: {
      ...(digits === null ? { first: list[0] } : {}),
      ...(next === null ? { last: list.at(-1) } : {}),
      list,
    },
    next_uri: next === null ? null : addresses.timeMap("json", timestamp(next.time)),
  };
}

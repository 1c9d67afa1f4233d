import type { Finding } from "../problems/finding.ts";

/** A finding in one line, for formats that have a sentence for each. */
export function describeInLine({ page, target, text = "", hops = [], detail }: Finding): string {
  return [
    page,
    ...(target === undefined ? [] : [`to ${target}`]),
    ...hops.slice(0, -1).map((hop) => `over ${hop}`),
    ...(text === "" ? [] : [`\u201c${text.replace(/\s+/g, " ")}\u201d`]),
    ...(detail === undefined ? [] : [`(${detail})`]),
  ].join(" ");
}

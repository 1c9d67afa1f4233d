import type { CrawlDetail } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import type { Client } from "../installation/client.ts";
import { type Answered, type Checked, checkRedirects, type Hop } from "./check-redirects.ts";
import type { RedirectMap } from "./redirect-map.ts";

/** What `--expect` prints at the end of a crawl. */

/** Chains that are named, and the rest is counted. What differs is named in full: it is what was asked for. */
const MAX_CHAINS = 20;

/** Sets the exit code to 1 if anything differs. */
export async function checkExpected(
  { id }: Pick<CrawlDetail, "id">,
  map: RedirectMap,
  client: Pick<Client, "records">,
): Promise<{ lines: string[]; facts: object }> {
  const records = new Map<string, Answered>();
  for await (const { url, httpStatus, redirectTo, status, reason, explanation } of client.records(id))
    records.set(url, { url, httpStatus, redirectTo, status, reason, explanation });
  const checked = checkRedirects(map.expectations, records);
  const differing = checked.filter(({ differs }) => differs.length > 0);
  const chains = checked.filter(({ redirects, differs }) => redirects > 1 && differs.length === 0);
  // What could not be read of the map was not checked either.
  if (differing.length + map.invalid.length > 0) process.exitCode = 1;
  const counts = {
    ...{ expected: checked.length, asExpected: checked.length - differing.length, differ: differing.length },
    ...{ chains: checked.filter(({ redirects }) => redirects > 1).length, invalid: map.invalid.length },
  };
  const facts = { redirects: { ...counts, differing: differing.map(toFacts), overSeveralHops: chains.map(toFacts) } };
  return { lines: describe(map, counts, differing, chains), facts };
}

function toFacts({ from, expected, to, hops, redirects, differs }: Checked): object {
  return { from, expected, to, hops, redirects, differs };
}

function describe(
  { name }: RedirectMap,
  { expected, asExpected, differ, invalid }: { expected: number; asExpected: number; differ: number; invalid: number },
  differing: readonly Checked[],
  chains: readonly Checked[],
): string[] {
  const lines = differing.flatMap((one) => [
    `${one.from} (${one.place})`,
    `  expected: ${describeExpected(one)}`,
    `  came:     ${describeHops(one.hops)}`,
    ...one.differs.map((what) => `  differs:  ${what}`),
  ]);
  if (chains.length > 0) {
    lines.push(`As expected, but over more than one redirect: ${count(chains.length)}`);
    lines.push(...chains.slice(0, MAX_CHAINS).map(({ hops }) => `  ${describeHops(hops)}`));
    if (chains.length > MAX_CHAINS) lines.push(`  and ${count(chains.length - MAX_CHAINS)} more; --json has all`);
  }
  const unread = invalid === 0 ? "" : `, and ${plural(invalid, "line")} could not be read`;
  lines.push(
    `${name}: ${count(asExpected)} of ${plural(expected, "URL")} as expected, ${count(differ)} differ${unread}.`,
  );
  return lines;
}

function describeExpected({ expected: { to, status }, from }: Checked): string {
  const answers = status === null ? "" : `status ${status}`;
  if (to === null) return answers;
  const leads = to === from ? "no redirect" : to;
  return answers === "" ? leads : `${leads} (${answers})`;
}

function describeHops(hops: readonly Hop[]): string {
  return hops.map(({ url, httpStatus }) => `${url} (${httpStatus ?? "no answer"})`).join(" -> ");
}

/** The history of a site that is kept in git: when each page was added, changed and removed on the main branch. */
import { execFileSync } from "node:child_process";
import type { PageHistory, SiteHistory } from "./history.ts";

const PAGE = /\.(html?|md|mdx|rst|adoc|txt)$/i;
const CHANGE = /^:\d+ \d+ [0-9a-f]+ (?<blob>[0-9a-f]+) (?<kind>[A-Z])$/;
const DAY_S = 86_400;

export interface GitPage extends PageHistory {
  /** The ids of its texts: the one that it had first, and one for each change. */
  blobs: string[];
}

export interface GitHistory extends SiteHistory {
  pages: GitPage[];
  /** When it begins, in milliseconds since the epoch. */
  beginMs: number;
}

/**
 * Reads `git log` of a repository, bare or not, for the files below `path` that are pages. A merge counts as one change
 * at its own time, because a site is built from its main branch. A file that is renamed is a new page.
 */
export function readGitHistory(dir: string, path = ".", years = 6): GitHistory {
  const args = ["log", "--first-parent", "-m", "--no-renames", "--raw", "--no-abbrev", "--reverse"];
  const rest = ["--format=%x00%ct", "-z", "HEAD", "--", path];
  const log = execFileSync("git", ["-C", dir, ...args, ...rest], { maxBuffer: 2 ** 30, encoding: "utf8" });
  return parseGitLog(log, dir, years);
}

/** Reads the output of `git log -z --raw --format=%x00%ct`, oldest first, and keeps the last years. */
function parseGitLog(log: string, name: string, years: number): GitHistory {
  const pages: { name: string; bornS: number; goneS: number; changesS: number[]; blobs: string[] }[] = [];
  const present = new Map<string, (typeof pages)[number]>();
  let nowS = 0;
  const fields = log.split("\0");
  for (let i = 0; i < fields.length; i++) {
    const field = (fields[i] ?? "").trim();
    if (/^\d+$/.test(field)) {
      // Commit times are not always in order.
      nowS = Math.max(nowS, Number(field));
      continue;
    }
    const { blob, kind } = CHANGE.exec(field)?.groups ?? {};
    if (blob === undefined) continue;
    i += 1;
    const file = fields[i] ?? "";
    if (!PAGE.test(file)) continue;
    const page = present.get(file);
    if (kind === "D") {
      if (page) page.goneS = nowS;
      present.delete(file);
    } else if (page === undefined) {
      const born = { name: file, bornS: nowS, goneS: Number.POSITIVE_INFINITY, changesS: [], blobs: [blob] };
      pages.push(born);
      present.set(file, born);
    } else if (page.changesS.at(-1) === nowS || page.bornS === nowS) page.blobs[page.blobs.length - 1] = blob;
    else {
      page.changesS.push(nowS);
      page.blobs.push(blob);
    }
  }
  const startS = Math.max(nowS - years * 365 * DAY_S, pages[0]?.bornS ?? 0);
  const toDay = (seconds: number) => (seconds - startS) / DAY_S;
  const kept = pages
    .filter((page) => page.goneS > startS)
    .map((page): GitPage => {
      const changesS = page.changesS.filter((at) => at > startS);
      return {
        name: page.name,
        bornDay: Math.max(toDay(page.bornS), 0),
        goneDay: toDay(page.goneS),
        changeDays: Float64Array.from(changesS.map(toDay)),
        blobs: page.blobs.slice(-changesS.length - 1),
      };
    });
  return { name, beginMs: startS * 1000, days: toDay(nowS), pages: kept };
}

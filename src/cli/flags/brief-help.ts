import type { Command, Help } from "commander";
import { count } from "../../core/shown-values.ts";
import { OPTIONS } from "../../crawl/options/option-table.ts";

/**
 * The help of `crawl` and `watch` on one screen: examples, and the flags that a newcomer needs. `--help all` has all of
 * them.
 */

interface Brief {
  /** Arguments with what they do. */
  examples: [args: string, what: string][];
  /** Usual flags by what they are for, with a few words each. */
  flags: Record<string, Record<string, string>>;
}

const SHARED = {
  "What to crawl": {
    "--urls": "seeds from a file: lines, CSV, JSON or a sitemap",
    "--limit": `at most so many pages (default: ${count(OPTIONS.limit.suggested)})`,
    "--depth": "at most so many links away from a seed",
    "--include": "only URLs that match, such as '/docs/**'",
    "--exclude": "no URLs that match",
  },
  "How politely": {
    "--delay": "seconds between requests to a host (yours: 0)",
    "--concurrency": "requests at once to a host (yours: 3 and more)",
  },
  "What to keep": {
    "--markdown": "the main content of each page as Markdown",
    "--assets": "images, styles, scripts and fonts too",
    "--render": "draw pages that are made of scripts: auto or always",
  },
} satisfies Brief["flags"];

const WHERE = {
  "--state": "the folder that stores crawls on this machine",
  "--remote": "use a deployed Orbweaver, with --token",
};

export const BRIEF_CRAWL: Brief = {
  examples: [
    ["https://example.com/", "a site"],
    ["example.com --markdown --out docs", "pages with their Markdown"],
    ["example.com --browsable --out site", "a copy that opens offline"],
    ["localhost:8080 --delay 0 --analyze", "your own site, all links"],
  ],
  flags: {
    ...SHARED,
    "What to make of it": {
      "--out": "write pages and records.jsonl to this folder",
      "--browsable": "with --out: pages that open offline",
      "--analyze": "read all links at the end, for ranks and reports",
      "--json": "print one JSON object at the end",
    },
    "Where it runs": WHERE,
  },
};

export const BRIEF_WATCH: Brief = {
  examples: [
    ["https://example.com/", "tell what changes"],
    ["example.com --every 1d", "look at each page daily"],
    ["--urls list.txt", "these pages alone"],
    ["ID", "go on, or watch a crawl"],
  ],
  flags: {
    ...SHARED,
    "What to tell": {
      "--every": "how often to look at a page, such as 12h or 7d",
      "--ignore-text": "what never counts as a change",
      "--webhook": "where changes are sent",
      "--json": "print each change as a line of JSON",
    },
    "Where it runs": WHERE,
  },
};

/** Gives the command its brief help. `note` stands below that of `--help all`. `args`: those of the command line. */
export function briefHelp(
  command: Command,
  brief: Brief,
  { note = "", args = process.argv }: { note?: string; args?: readonly string[] } = {},
): Command {
  const wantsAll = args[args.findIndex((arg) => arg === "--help" || arg === "-h") + 1] === "all";
  if (wantsAll) return command.addHelpText("after", note);
  return command.configureHelp({ formatHelp: (own, helper) => write(own, helper, brief) });
}

function write(command: Command, helper: Help, { examples, flags }: Brief): string {
  const [purpose = ""] = command.description().split(/(?<=\.) /);
  const lines = [`Usage: ${helper.commandUsage(command)}`, "", purpose, ""];
  const name = `orbweaver ${command.name()}`;
  const width = Math.max(...examples.map(([args]) => args.length));
  lines.push(...examples.map(([args, what]) => `  ${name} ${args.padEnd(width)}  ${what}`));
  const termOf = (long: string) => command.options.find((option) => option.long === long)?.flags ?? long;
  const terms = Object.values(flags).flatMap((group) => Object.keys(group).map((long) => termOf(long).length));
  const column = Math.max(...terms);
  lines.push("");
  for (const [title, group] of Object.entries(flags)) {
    lines.push(`${title}:`);
    for (const [long, what] of Object.entries(group)) lines.push(`  ${termOf(long).padEnd(column)}  ${what}`);
  }
  lines.push("", `All ${command.options.length} options: ${name} --help all`, "");
  return lines.join("\n");
}

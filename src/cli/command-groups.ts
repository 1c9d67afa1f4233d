import type { Command } from "commander";

/**
 * The commands by what people do with them, with a few words each: the help of the program. Aliases are names of
 * earlier versions, and are not shown.
 */

const GROUPS: Record<string, Record<string, string>> = {
  Crawl: {
    crawl: "crawl a site from its seeds",
    resume: "go on with an interrupted crawl",
    read: "print one page as Markdown, and keep nothing",
    import: "make a crawl of WARC or WACZ files",
    retry: "fetch failed URLs again, or go on past a limit",
    pause: "pause a crawl",
    cancel: "stop a crawl for good, and keep its pages",
    schedule: "start crawls at set times",
    session: "read pages behind a log-in",
  },
  "Look at a crawl": {
    list: "the crawls, newest first",
    status: "one crawl and its hosts",
    records: "a line of JSON for every URL",
    explain: "what was decided for a URL, and by which rule",
    search: "find pages by their text",
    versions: "what was fetched of a URL, and when",
  },
  "Take it with you": {
    export: "as CSV, Parquet, Markdown, chunks, WARC, WACZ, a folder and more",
    delete: "delete a crawl with all that it stored",
  },
  "Stay with a site": {
    watch: "crawl a site, and tell what changes",
    changes: "what a watch has noticed",
    diff: "what changed in a page, word by word",
    feed: "the addresses of a watch's feeds",
    webhooks: "who is told of crawls and changes",
  },
  "Find out about a site": {
    analyze: "read all links, and rank the pages",
    report: "broken links and other problems",
    inlinks: "who links to a URL",
    sections: "the kinds of pages that a site has",
    fields: "read values such as prices by rules, to try them",
    extract: "have a model find values in a page, with their evidence",
    focus: "how well a crawl with a subject does",
    clusters: "group pages by what they say",
    classify: "label pages by examples",
    mark: "mark pages as right, wrong or with a label",
    unmark: "remove marks",
    marked: "the pages that are marked",
  },
  "Run and connect": {
    serve: "the console, the API and the schedules, until Ctrl-C",
    mcp: "answer an agent by the Model Context Protocol",
    own: "show that a host is yours",
  },
};

/** Sorts the commands of the program into groups. Throws an error for one that is in none. */
export function groupCommands(program: Command): void {
  const places = Object.entries(GROUPS).flatMap(([title, group]) =>
    Object.entries(group).map(([name, what]) => ({ title, name, what })),
  );
  for (const command of program.commands) {
    const place = places.find(({ name }) => name === command.name());
    if (place === undefined) throw new Error(`the command ${command.name()} is in no group`);
    command.helpGroup(`${place.title}:`).summary(place.what);
  }
  const rankOf = (command: Command) => places.findIndex(({ name }) => name === command.name());
  (program.commands as Command[]).sort((a, b) => rankOf(a) - rankOf(b));
}

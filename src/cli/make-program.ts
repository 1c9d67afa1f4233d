import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Help } from "commander";
import { groupCommands } from "./command-groups.ts";
import { COMMAND, ROOT } from "./installation/package-root.ts";

/** The commands with their flags. */

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

/** How each command is added to the program. Its module is loaded when it is given: all of them take 0.1 s. */
const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  crawl: async () => (await import("./control/crawl-command.ts")).addCrawlCommand,
  resume: async () => (await import("./control/crawl-command.ts")).addResumeCommand,
  watch: async () => (await import("./control/watch-command.ts")).addWatchCommands,
  changes: async () => (await import("./control/watch-command.ts")).addWatchCommands,
  diff: async () => (await import("./queries/diff-command.ts")).addDiffCommand,
  feed: async () => (await import("./queries/feed-command.ts")).addFeedCommand,
  import: async () => (await import("./control/import-command.ts")).addImportCommand,
  serve: async () => (await import("./control/serve-command.ts")).addServeCommand,
  mcp: async () => (await import("./control/mcp-command.ts")).addMcpCommand,
  list: async () => (await import("./queries/list-commands.ts")).addListCommands,
  status: async () => (await import("./queries/list-commands.ts")).addListCommands,
  pause: async () => (await import("./control/stop-commands.ts")).addStopCommands,
  cancel: async () => (await import("./control/stop-commands.ts")).addStopCommands,
  records: async () => (await import("./queries/records-command.ts")).addRecordsCommand,
  export: async () => (await import("./queries/export-command.ts")).addExportCommand,
  delete: async () => (await import("./control/delete-command.ts")).addDeleteCommand,
  schedule: async () => (await import("./control/schedule-command.ts")).addScheduleCommand,
  session: async () => (await import("./control/session-command.ts")).addSessionCommand,
  webhooks: async () => (await import("./control/webhooks-command.ts")).addWebhooksCommand,
  analyze: async () => (await import("./queries/analyze-command.ts")).addAnalyzeCommand,
  inlinks: async () => (await import("./queries/inlinks-command.ts")).addInlinksCommand,
  sections: async () => (await import("./queries/sections-command.ts")).addSectionsCommand,
  report: async () => (await import("./queries/report-command.ts")).addReportCommand,
  mark: async () => (await import("./queries/mark-commands.ts")).addMarkCommands,
  unmark: async () => (await import("./queries/mark-commands.ts")).addMarkCommands,
  marked: async () => (await import("./queries/mark-commands.ts")).addMarkCommands,
  classify: async () => (await import("./queries/classify-command.ts")).addClassifyCommand,
  clusters: async () => (await import("./queries/topics-command.ts")).addTopicsCommand,
  focus: async () => (await import("./queries/topic-command.ts")).addTopicCommand,
  read: async () => (await import("./queries/read-command.ts")).addReadCommand,
  retry: async () => (await import("./control/retry-command.ts")).addRetryCommand,
  explain: async () => (await import("./queries/explain-command.ts")).addExplainCommand,
  own: async () => (await import("./control/own-command.ts")).addOwnCommand,
  fields: async () => (await import("./queries/fields-command.ts")).addFieldsCommand,
  extract: async () => (await import("./queries/extract-command.ts")).addExtractCommand,
  search: async () => (await import("./queries/search-command.ts")).addSearchCommand,
  versions: async () => (await import("./queries/versions-command.ts")).addVersionsCommand,
};

/** What people of other crawlers write in the place of a command. */
const ADDRESS = /^(?:https?:\/\/|(?:[\w-]+\.)+[a-z]{2,}(?:[:/]|$)|(?:localhost|(?:\d{1,3}\.){3}\d{1,3})(?:[:/]|$))/i;

/** `name`: the command that is given. The program then has that one alone, and all of them if there is none such. */
export async function makeProgram(name = ""): Promise<Command> {
  const program = new Command("orbweaver")
    .description("A web crawler that runs on Cloudflare's edge, and on this machine.")
    // Without -V: it would be found after a command, too, in a token that begins with these characters.
    .version(version, "--version")
    .configureHelp({ showGlobalOptions: true, subcommandTerm })
    .addHelpText("after", "\nThe flags of a command: orbweaver COMMAND --help. All of them: docs/commands.md")
    .showHelpAfterError(
      ADDRESS.test(name)
        ? `To crawl it: ${COMMAND} crawl ${name}\nTo print it: ${COMMAND} read ${name}`
        : "Add --help to see the arguments.",
    )
    .exitOverride();
  const given = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS);
  // Some add several commands.
  for (const add of new Set(await Promise.all(given.map((load) => load?.())))) add?.(program);
  groupCommands(program);
  return program;
}

/** Without aliases, which are names of earlier versions. */
function subcommandTerm(command: Command): string {
  return new Help().subcommandTerm(command).replace(/^(\S+?)\|\S+/, "$1");
}

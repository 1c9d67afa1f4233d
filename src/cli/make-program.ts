import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Help } from "commander";
import { groupCommands } from "./command-groups.ts";
import { addCrawlCommand, addResumeCommand } from "./control/crawl-command.ts";
import { addDeleteCommand } from "./control/delete-command.ts";
import { addImportCommand } from "./control/import-command.ts";
import { addManageCommands } from "./control/manage-commands.ts";
import { addMcpCommand } from "./control/mcp-command.ts";
import { addOwnCommand } from "./control/own-command.ts";
import { addRetryCommand } from "./control/retry-command.ts";
import { addScheduleCommand } from "./control/schedule-command.ts";
import { addServeCommand } from "./control/serve-command.ts";
import { addSessionCommand } from "./control/session-command.ts";
import { addWatchCommands } from "./control/watch-command.ts";
import { addWebhooksCommand } from "./control/webhooks-command.ts";
import { ROOT } from "./installation/package-root.ts";
import { addAnalyzeCommand } from "./queries/analyze-command.ts";
import { addClassifyCommand } from "./queries/classify-command.ts";
import { addDiffCommand } from "./queries/diff-command.ts";
import { addExplainCommand } from "./queries/explain-command.ts";
import { addExportCommand } from "./queries/export-command.ts";
import { addExtractCommand } from "./queries/extract-command.ts";
import { addFeedCommand } from "./queries/feed-command.ts";
import { addFieldsCommand } from "./queries/fields-command.ts";
import { addInlinksCommand } from "./queries/inlinks-command.ts";
import { addMarkCommands } from "./queries/mark-commands.ts";
import { addReadCommand } from "./queries/read-command.ts";
import { addReportCommand } from "./queries/report-command.ts";
import { addSearchCommand } from "./queries/search-command.ts";
import { addSectionsCommand } from "./queries/sections-command.ts";
import { addTopicCommand } from "./queries/topic-command.ts";
import { addTopicsCommand } from "./queries/topics-command.ts";
import { addVersionsCommand } from "./queries/versions-command.ts";

/** The commands with their flags. */

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

export function makeProgram(): Command {
  const program = new Command("orbweaver")
    .description("A web crawler that runs on Cloudflare's edge, and on this machine.")
    // Without -V: it would be found after a command, too, in a token that begins with these characters.
    .version(version, "--version")
    .configureHelp({ showGlobalOptions: true, subcommandTerm })
    .addHelpText("after", "\nThe flags of a command: orbweaver COMMAND --help. All of them: docs/commands.md")
    .showHelpAfterError("Add --help to see the arguments.")
    .exitOverride();

  addCrawlCommand(program);
  addResumeCommand(program);
  addWatchCommands(program);
  addDiffCommand(program);
  addFeedCommand(program);
  addImportCommand(program);
  addServeCommand(program);
  addMcpCommand(program);
  addManageCommands(program);
  addExportCommand(program);
  addDeleteCommand(program);
  addScheduleCommand(program);
  addSessionCommand(program);
  addWebhooksCommand(program);
  addAnalyzeCommand(program);
  addInlinksCommand(program);
  addSectionsCommand(program);
  addReportCommand(program);
  addMarkCommands(program);
  addClassifyCommand(program);
  addTopicsCommand(program);
  addTopicCommand(program);
  addReadCommand(program);
  addRetryCommand(program);
  addExplainCommand(program);
  addOwnCommand(program);
  addFieldsCommand(program);
  addExtractCommand(program);
  addSearchCommand(program);
  addVersionsCommand(program);
  groupCommands(program);
  return program;
}

/** Without aliases, which are names of earlier versions. */
function subcommandTerm(command: Command): string {
  return new Help().subcommandTerm(command).replace(/\|\S+/, "");
}

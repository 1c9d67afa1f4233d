import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { addAnalyzeCommand } from "./analyze-command.ts";
import { addClassifyCommand } from "./classify-command.ts";
import { addCrawlCommand, addResumeCommand } from "./crawl-command.ts";
import { addDeleteCommand } from "./delete-command.ts";
import { addDiffCommand } from "./diff-command.ts";
import { UserError } from "./errors.ts";
import { addExplainCommand } from "./explain-command.ts";
import { addExportCommand } from "./export-command.ts";
import { addFeedCommand } from "./feed-command.ts";
import { addFieldsCommand } from "./fields-command.ts";
import { addInlinksCommand } from "./inlinks-command.ts";
import { addManageCommands } from "./manage-commands.ts";
import { addMarkCommands } from "./mark-commands.ts";
import { addMcpCommand } from "./mcp-command.ts";
import { addOwnCommand } from "./own-command.ts";
import { addReportCommand } from "./report-command.ts";
import { addRetryCommand } from "./retry-command.ts";
import { addScheduleCommand } from "./schedule-command.ts";
import { addSearchCommand } from "./search-command.ts";
import { addSectionsCommand } from "./sections-command.ts";
import { addServeCommand } from "./serve-command.ts";
import { addTopicCommand } from "./topic-command.ts";
import { addTopicsCommand } from "./topics-command.ts";
import { addVersionsCommand } from "./versions-command.ts";
import { addWatchCommands } from "./watch-command.ts";
import { addWebhooksCommand } from "./webhooks-command.ts";

/** The command line: a client of the HTTP API, local or deployed, without crawl logic. */

const packageFile = join(import.meta.dirname, "..", "..", "package.json");
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

const program = new Command("orbweaver")
  .description("A web crawler that runs on Cloudflare's edge, and on this machine.")
  // Without -V: it would be found after a command, too, in a token that begins with these characters.
  .version(version, "--version")
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError("Add --help to see the arguments.")
  .exitOverride();

addCrawlCommand(program);
addResumeCommand(program);
addWatchCommands(program);
addDiffCommand(program);
addFeedCommand(program);
addServeCommand(program);
addMcpCommand(program);
addManageCommands(program);
addExportCommand(program);
addDeleteCommand(program);
addScheduleCommand(program);
addWebhooksCommand(program);
addAnalyzeCommand(program);
addInlinksCommand(program);
addSectionsCommand(program);
addReportCommand(program);
addMarkCommands(program);
addClassifyCommand(program);
addTopicsCommand(program);
addTopicCommand(program);
addRetryCommand(program);
addExplainCommand(program);
addOwnCommand(program);
addFieldsCommand(program);
addSearchCommand(program);
addVersionsCommand(program);

/** Exit codes: 0 for success, 1 for failure, 2 for wrong arguments. */
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
await Promise.all([process.stdout, process.stderr].map(untilWritten));
// workerd has ended; a keep-alive connection to it must not keep this process alive.
process.exit();

/** Resolves when the reader has what was written: an exit would lose what waits for a slow one. */
function untilWritten(out: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // A reader that has gone, such as `head`, wants no more.
    out.once("error", () => resolve());
    out.write("", () => resolve());
  });
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UserError) {
    console.error(error.message);
    return error.exitCode;
  }
  console.error(error);
  return 1;
}

import { Command, CommanderError } from "commander";
import { addCrawlCommand, addResumeCommand } from "./crawl-command.ts";
import { addDeleteCommand } from "./delete-command.ts";
import { UserError } from "./errors.ts";
import { addExplainCommand } from "./explain-command.ts";
import { addExportCommand } from "./export-command.ts";
import { addManageCommands } from "./manage-commands.ts";
import { addRetryCommand } from "./retry-command.ts";
import { addScheduleCommand } from "./schedule-command.ts";
import { addSearchCommand } from "./search-command.ts";
import { addServeCommand } from "./serve-command.ts";

/** The command line. It speaks HTTP to the API, local or deployed, and has no crawl logic of its own. */

const program = new Command("orbweaver")
  .description("A web crawler that lives on Cloudflare's edge, and on this machine.")
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError("Add --help to see what it takes.")
  .exitOverride();

addCrawlCommand(program);
addResumeCommand(program);
addServeCommand(program);
addManageCommands(program);
addExportCommand(program);
addDeleteCommand(program);
addScheduleCommand(program);
addRetryCommand(program);
addExplainCommand(program);
addSearchCommand(program);

/** 0: it did what was asked; 1: it did not; 2: the arguments were wrong. */
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
// workerd is down by now; a keep-alive connection to it must not hold the process.
process.exit();

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UserError) {
    console.error(error.message);
    return error.exitCode;
  }
  console.error(error);
  return 1;
}

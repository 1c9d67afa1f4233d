import type { Command } from "commander";
import { minuteOf } from "../../core/shown-values.ts";
import { type CrawlFlags, crawlOptions, toRequest } from "../flags/crawl-flags.ts";
import { explainFields } from "../flags/fields-file.ts";
import { period, whereOptions } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { COMMAND } from "../installation/package-root.ts";
import { commandAt } from "../output/go-on.ts";
import { table } from "../output/terminal-text.ts";
import { describeWebhook } from "./crawl-command.ts";
import { findGuestHosts } from "./own-command.ts";

/** `orbweaver schedule`: crawls that start at set times. */
export function addScheduleCommand(program: Command): void {
  const schedule = program
    .command("schedule")
    .description("Manage scheduled crawls. On this machine they start only while `orbweaver serve` runs.");

  const add = schedule
    .command("add")
    .description('Start a crawl at set times, such as: schedule add "0 3 * * *" https://example.com/')
    .argument("<cron>", "minute, hour, day of month, month, day of week, in UTC")
    .argument("<url...>", "the seeds");
  crawlOptions(add).option(
    "--modified-since <period>",
    "store only pages changed within this period before each crawl, such as 7d",
    period,
  );
  type Flags = CrawlFlags & WhereOptions & { modifiedSince?: number };
  whereOptions(add).action(async (cron: string, urls: string[], flags: Flags) => {
    const { added, guests } = await withInstallation(flags, async ({ client }) => ({
      added: await client
        .addSchedule(cron, toRequest(urls, flags), flags.modifiedSince)
        .catch(explainFields(flags.fields)),
      guests: await findGuestHosts(urls, flags, client),
    }));
    console.log(`Schedule ${added.id}: first crawl at ${minuteOf(added.nextAt)} UTC.`);
    for (const line of [...describeWebhook(added.webhookSecret, flags), ...guests]) console.log(line);
    if (flags.remote === undefined)
      console.log(`On this machine scheduled crawls start only while \`${COMMAND} serve\` runs.`);
  });

  whereOptions(schedule.command("list").description("List the schedules.").option("--json", "print JSON")).action(
    async (flags: WhereOptions & { json?: boolean }) => {
      const schedules = await readInstallation(flags, "ledger", ({ client }) => client.schedules());
      if (flags.json) return console.log(JSON.stringify(schedules));
      if (schedules.length === 0)
        return console.log(
          `No schedules yet. Add one: ${commandAt('schedule add "0 3 * * *" https://example.com/', flags)}`,
        );
      const rows = schedules.map(({ id, cron, nextAt, lastStartedAt, urls }) => [
        id,
        cron,
        minuteOf(nextAt),
        lastStartedAt === null ? "never" : minuteOf(lastStartedAt),
        urls.join(" "),
      ]);
      console.log(table([["ID", "CRON", "NEXT (UTC)", "LAST", "SEEDS"], ...rows]));
    },
  );

  whereOptions(
    schedule.command("remove").description("Remove a schedule; its crawls stay.").argument("<id>", "the schedule"),
  ).action(async (given: string, flags: WhereOptions) => {
    const id = await withInstallation(flags, ({ client }) => client.removeSchedule(given));
    console.log(`Schedule ${id} is removed.`);
  });
}

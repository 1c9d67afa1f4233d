import { appendFileSync } from "node:fs";
import { UserError } from "../src/cli/errors.ts";
import { MAX_LEDGER } from "../src/crawl/crawl-id.ts";
import { bindingOf } from "../src/crawl/ledger-name.ts";
import type { Installation } from "./deploy-config.ts";
import type { Say } from "./deploy-steps.ts";

/**
 * `npm run deploy -- --ledgers 8` adds databases to the configuration, in which new crawls are put. The deploy makes
 * and migrates each, like the first one. None is ever taken away: it has crawls.
 */

export function parseLedgers(given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_LEDGER + 1) return count;
  throw new UserError(`--ledgers takes the number of databases, 1 to ${MAX_LEDGER + 1}: ${given} is none.`, 2);
}

/** The installation with so many ledgers. Adds those that it lacks to its configuration, unless this is a rehearsal. */
export function ensureLedgers(
  installation: Installation,
  count: number | undefined,
  { dryRun = false }: { dryRun?: boolean },
  say: Say,
): Installation {
  const { ledgers, file } = installation;
  if (count === undefined || count === ledgers.length) return installation;
  if (count < ledgers.length)
    throw new UserError(
      `${file} has ${ledgers.length} ledgers, and none of them can be taken away: crawls live there. Give --ledgers ${ledgers.length}, or more.`,
      2,
    );
  const added = addedLedgers(installation, count);
  if (!file.endsWith(".toml"))
    throw new UserError(
      `${file} is no TOML, so add these databases yourself:\n${added.map(({ section }) => section).join("")}`,
    );
  if (!dryRun) appendFileSync(file, added.map(({ section }) => section).join(""));
  say(
    `Ledgers     ${count}: ${added.map(({ binding }) => binding).join(", ")} ${dryRun ? "would come" : "stand"} in ${file}`,
  );
  return {
    ...installation,
    ledgers: [...ledgers, ...added.map(({ name, binding }) => ({ name, binding, id: undefined }))],
  };
}

/** The sections for the first numbers that are free. The names of the databases follow that of the first one. */
function addedLedgers({ ledgers: [first, ...others] }: Installation, count: number) {
  const used = new Set(["LEDGER", ...others.map(({ binding }) => binding)]);
  const free = Array.from({ length: MAX_LEDGER + 1 }, (_, ledger) => bindingOf(ledger)).filter(
    (name) => !used.has(name),
  );
  return free.slice(0, count - used.size).map((binding) => {
    const name = `${first?.name ?? "orbweaver"}-${binding.slice("LEDGER_".length)}`;
    const section = `\n[[d1_databases]]\nbinding = "${binding}"\ndatabase_name = "${name}"\nmigrations_dir = "migrations"\n`;
    return { binding, name, section };
  });
}

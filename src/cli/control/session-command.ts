import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { minuteOf, plural } from "../../core/shown-values.ts";
import { UserError } from "../errors.ts";
import { readCookies, toHost, toSessionHeader } from "../flags/session-flags.ts";
import { collect, whereOptions } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { table } from "../output/terminal-text.ts";

/** `orbweaver session`: cookies and headers that read pages behind a log-in. */

interface AddFlags extends WhereOptions {
  host?: string[];
  cookieFile?: string;
  header?: string[];
  headerFile?: string;
  signedIn?: string;
}

export function addSessionCommand(program: Command): void {
  const session = program
    .command("session")
    .description("Manage what reads pages behind a log-in: cookies and headers, kept encrypted and never shown.");

  whereOptions(
    session
      .command("add")
      .description(
        "Keep a session, in place of what its name had: session add wiki --host wiki.example --cookie-file cookies.txt",
      )
      .argument("<name>", "its name, for --session")
      .option("--host <host>", "a host to which it goes, HOST:PORT, or *.SUFFIX; may be repeated", collect)
      .option(
        "--cookie-file <file>",
        "cookies.txt, Playwright's storage state, or a HAR; only cookies of the hosts are kept",
      )
      .option(
        "--header <name:value>",
        'a header for the hosts; "HOST NAME: VALUE" is for one of them; may be repeated',
        collect,
      )
      .option("--header-file <file>", "a file with such headers, a line each, which no list of processes shows")
      .option("--signed-in <mark>", "how a page looks with it: a CSS selector, text=WORDS, or a URL"),
  ).action(async (name: string, flags: AddFlags) => {
    const { host = [], cookieFile, header = [], headerFile, signedIn } = flags;
    const headers = [...header, ...(headerFile === undefined ? [] : readLines(headerFile))].map(toSessionHeader);
    const hosts = [...new Set(host.map(toHost))];
    if (hosts.length === 0)
      throw new UserError("--host HOST says where it goes, and that it goes nowhere else: give at least one.", 2);
    if (cookieFile === undefined && headers.length === 0)
      throw new UserError("Give --cookie-file FILE, --header or --header-file.", 2);
    const brought = cookieFile === undefined ? null : readCookies(cookieFile, hosts);
    const request = {
      name,
      hosts,
      headers,
      cookies: brought?.cookies ?? [],
      ...(signedIn === undefined ? {} : { signedIn }),
    };
    const kept = await withInstallation(flags, ({ client }) => client.bringSession(request));
    if (brought !== null) console.log(brought.says);
    const holds = [plural(kept.cookies, "cookie"), plural(kept.headers, "header")].join(" and ");
    console.log(`Session ${kept.name}: ${holds} for ${kept.hosts.join(", ")}. Use it with --session ${kept.name}.`);
  });

  whereOptions(session.command("list").description("List the sessions.").option("--json", "print JSON")).action(
    async (flags: WhereOptions & { json?: boolean }) => {
      const sessions = await readInstallation(flags, "ledger", ({ client }) => client.sessions());
      if (flags.json) return console.log(JSON.stringify(sessions));
      if (sessions.length === 0)
        return console.log("No sessions yet. Add one: session add NAME --host HOST --cookie-file FILE");
      const rows = sessions.map(({ name, hosts, addedAt, seenAt, signedOutAt }) => [
        name,
        hosts.join(" "),
        minuteOf(addedAt),
        seenAt === null ? "never" : minuteOf(seenAt),
        signedOutAt === null ? "" : `signed out ${minuteOf(signedOutAt)}`,
      ]);
      console.log(table([["NAME", "HOSTS", "SINCE", "SEEN SIGNED IN", ""], ...rows]));
    },
  );

  whereOptions(
    session
      .command("remove")
      .description("Remove a session. Crawls that use it pause; their pages stay.")
      .argument("<name>", "the session"),
  ).action(async (given: string, flags: WhereOptions) => {
    const { name, crawls, schedules } = await withInstallation(flags, ({ client }) => client.removeSession(given));
    console.log(`Session ${name} is removed.`);
    if (crawls.length > 0)
      console.log(`What was read with it stays, in ${plural(crawls.length, "crawl")}. To delete that too:`);
    for (const id of crawls) console.log(`  orbweaver delete ${id}`);
    for (const id of schedules) console.log(`Schedule ${id} uses it: orbweaver schedule remove ${id}`);
  });
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "");
  } catch (error) {
    throw new UserError(`--header-file cannot read ${file}: ${(error as Error).message}`, 2);
  }
}

import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import type { CheckView } from "../../api/views.ts";
import { minuteOf, plural } from "../../core/shown-values.ts";
import { UserError } from "../errors.ts";
import { namedSecrets, readLogInFile, readSecretValues, terminalAsker } from "../flags/log-in-file.ts";
import { readCookies, toHost, toSessionHeader } from "../flags/session-flags.ts";
import { collect, natural, whereOptions } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { browserOfMachine } from "../machine/find-browser.ts";
import { quote } from "../machine/shell-script.ts";
import { commandAt } from "../output/go-on.ts";
import { table } from "../output/terminal-text.ts";
import { askToConfirm, deleteAll } from "./delete-command.ts";

/** `orbweaver session`: cookies and headers that read pages behind a log-in. */

interface AddFlags extends WhereOptions {
  host?: string[];
  cookieFile?: string;
  header?: string[];
  headerFile?: string;
  signedIn?: string;
  login?: string;
  secretFile?: string;
  logins?: number;
}

interface CheckFlags extends WhereOptions {
  url?: string;
  signedIn?: string;
  out?: string;
  json?: boolean;
}

interface RemoveFlags extends WhereOptions {
  withCrawls?: boolean;
  keepCrawls?: boolean;
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
      .option("--signed-in <mark>", "how a page looks with it: a CSS selector, text=WORDS, or a URL")
      .option("--login <file>", "JSON: the steps by which a browser logs in, to renew the session")
      .option(
        "--secret-file <file>",
        "lines NAME=VALUE: the secrets that the steps name. Otherwise they come from the environment, or are asked for",
      )
      .option("--logins <n>", "log-ins of the account within 24 hours (default: 3)", natural(1)),
  ).action(async (name: string, flags: AddFlags) => {
    const { host = [], cookieFile, header = [], headerFile, signedIn, login, secretFile, logins } = flags;
    const headers = [...header, ...(headerFile === undefined ? [] : readLines(headerFile))].map(toSessionHeader);
    const hosts = [...new Set(host.map(toHost))];
    if (hosts.length === 0)
      throw new UserError("--host HOST says where it goes, and that it goes nowhere else: give at least one.", 2);
    if (cookieFile === undefined && headers.length === 0 && login === undefined)
      throw new UserError("Give --cookie-file FILE, --header, --header-file or --login FILE.", 2);
    if (login === undefined && (secretFile !== undefined || logins !== undefined))
      throw new UserError("--secret-file and --logins are for --login FILE.", 2);
    const written = login === undefined ? null : readLogInFile(login);
    const secrets =
      written === null
        ? {}
        : await readSecretValues(namedSecrets(written), {
            file: secretFile,
            env: process.env,
            ask: terminalAsker(process),
          });
    const brought = cookieFile === undefined ? null : readCookies(cookieFile, hosts, ": --host names those to keep");
    const request = {
      name,
      hosts,
      headers,
      cookies: brought?.cookies ?? [],
      ...(signedIn === undefined ? {} : { signedIn }),
      ...(written === null
        ? {}
        : { login: { ...written, secrets, ...(logins === undefined ? {} : { perDay: logins }) } }),
    };
    const kept = await withInstallation(flags, ({ client }) => client.bringSession(request));
    if (brought !== null) console.log(brought.says);
    const held = [plural(kept.cookies, "cookie"), plural(kept.headers, "header")];
    const holds = kept.login === null ? held.join(" and ") : [...held, "a log-in"].join(", ");
    console.log(`Session ${kept.name}: ${holds} for ${kept.hosts.join(", ")}. Use it with --session ${kept.name}.`);
    if (kept.login !== null || kept.signedIn === "")
      console.log(`Check it, and see how to tell when it has ended: ${commandAt(`session check ${kept.name}`, flags)}`);
  });

  whereOptions(session.command("list").description("List the sessions.").option("--json", "print JSON")).action(
    async (flags: WhereOptions & { json?: boolean }) => {
      const sessions = await readInstallation(flags, "ledger", ({ client }) => client.sessions());
      if (flags.json) return console.log(JSON.stringify(sessions));
      if (sessions.length === 0)
        return console.log(
          `No sessions yet. Add one: ${commandAt("session add NAME --host HOST --cookie-file FILE", flags)}`,
        );
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
      .command("check")
      .description("Do the log-in of a session, show its page, and propose how to tell when it has ended.")
      .argument("<name>", "the session")
      .option(
        "--url <url>",
        "the page to look at; otherwise where the log-in leads, one that was seen signed in, or the start of its first host",
      )
      .option("--signed-in <mark>", "say how a page looks with it from now on, and check by that")
      .option("--out <file>", "write the picture of the page there, as JPEG")
      .option("--json", "print JSON, without the picture"),
  ).action(async (name: string, { url, signedIn, out, json, ...where }: CheckFlags) => {
    const asked = { ...(url === undefined ? {} : { url }), ...(signedIn === undefined ? {} : { signedIn }) };
    const check = await withInstallation(where, ({ client }) => client.checkSession(name, asked), browserOfMachine());
    const { picture, ...facts } = check;
    if (out !== undefined && picture !== null) writePicture(out, picture);
    if (json) console.log(JSON.stringify(facts));
    else for (const line of describeCheck(check, out, where)) console.log(line);
    if (check.works === false) process.exitCode = 1;
  });

  whereOptions(
    session
      .command("remove")
      .description("Remove a session. Crawls that use it pause; their pages stay, unless you say otherwise.")
      .argument("<name>", "the session")
      .option("--with-crawls", "delete the crawls that have used it, with all that they stored")
      .option("--keep-crawls", "keep them, and do not ask"),
  ).action(async (given: string, { withCrawls = false, keepCrawls = false, ...where }: RemoveFlags) => {
    if (withCrawls && keepCrawls) throw new UserError("Give either --with-crawls or --keep-crawls.", 2);
    await withInstallation(where, async ({ client }) => {
      const isAsked = !withCrawls && !keepCrawls && process.stdin.isTTY === true;
      const question = `Delete what was read with the session ${given} too, in all of its crawls? [y/N] `;
      const deletes = withCrawls || (isAsked && (await askToConfirm(question, process)));
      const { name, crawls, schedules, deleted } = await client.removeSession(given, deletes);
      console.log(`Session ${name} is removed.`);
      for (const id of deleted) console.log(await deleteAll(id, true, where.remote !== undefined, client));
      if (crawls.length > 0)
        console.log(`What was read with it stays, in ${plural(crawls.length, "crawl")}. To delete that too:`);
      for (const id of crawls) console.log(`  ${commandAt(`delete ${id}`, where)}`);
      for (const id of schedules) console.log(`Schedule ${id} uses it: ${commandAt(`schedule remove ${id}`, where)}`);
    });
  });
}

function describeCheck(check: CheckView, out: string | undefined, where: WhereOptions): string[] {
  const { name, works, why, steps, page, picture, noPicture, compared, problem } = check;
  const done = steps.map(
    ({ step, ok, detail }) => `${ok ? "ok " : "NO "} ${step}${detail === "" ? "" : `: ${detail}`}`,
  );
  const shown =
    out === undefined
      ? []
      : [picture === null ? `There is no picture: ${noPicture}.` : `The page as it looked then: ${out}`];
  const worked = {
    true: "reads as a member",
    false: `does not work: ${why}`,
    null: steps.length > 1 ? "has logged in" : "cannot be judged yet",
  }[`${works}`];
  return [
    ...done,
    ...(page === null ? [] : [`Then the browser was at ${page.url} (${page.title || "without a title"}).`]),
    ...shown,
    `The session ${name} ${worked}.`,
    ...(problem === null ? [] : [`${compared} could not be compared: ${problem}.`]),
    ...propose(check, where),
  ];
}

function propose(check: CheckView, where: WhereOptions): string[] {
  const { name, why, signedIn, proposed, compared, strangers, problem } = check;
  if (signedIn !== "") return [`A page counts as signed in by: ${signedIn}`];
  if (compared === null || why !== null) return [];
  if (problem !== null) return ["--url names another page to look at, --signed-in says a mark."];
  if (proposed === null && strangers !== null)
    return [`${compared} turns strangers away: ${strangers}. A crawl tells by that when the session has ended.`];
  if (proposed === null)
    return [`${compared} shows nothing that strangers do not get. --url names another page, --signed-in says a mark.`];
  return [
    `${compared} has ${proposed}, which strangers do not get. To tell by that when it has ended:`,
    `  ${commandAt(`session check ${name} --signed-in ${quote(proposed)}`, where)}`,
  ];
}

function writePicture(out: string, picture: string): void {
  try {
    writeFileSync(out, Buffer.from(picture, "base64"), { mode: 0o600 });
  } catch (error) {
    throw new UserError(`--out cannot write ${out}: ${(error as Error).message}`, 2);
  }
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

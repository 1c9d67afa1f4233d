import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeProgram } from "../../src/cli/make-program.ts";
import { run, scratch } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Each option of a crawl and a watch, with values that are wrong: the refusal names the flag that has them. */

const shared = shareServer();
const dir = scratch();
const SEED = "http://127.0.0.1:1/";
const NO_JSON = join(dir.path, "no.json");
writeFileSync(NO_JSON, "{ no json");
const MISSING = join(dir.path, "missing");
const LONG = "x".repeat(2_100);
const WEBHOOK = ["--webhook", "http://127.0.0.1:1/hook"];
const MAIL = [...WEBHOOK, "--webhook-format", "resend"];
const DRAWN = ["--render", "auto"];
/** Commands run side by side. */
const AT_ONCE = 4;

/** Wrong values of an option, and what it needs beside it. */
const WRONG: Record<string, { values: string[]; beside?: string[] }> = {
  "--name": { values: [LONG] },
  "--limit": { values: ["many", "0", "99999999999"] },
  "--depth": { values: ["deep", "-1"] },
  "--source": { values: ["nowhere"] },
  "--sitemap": { values: ["ftp://x/", "no url"] },
  "--include": { values: ["", LONG] },
  "--exclude": { values: ["", LONG] },
  "--prefer": { values: ["", LONG] },
  "--save": { values: ["", LONG] },
  "--language": { values: ["no language"] },
  "--prefer-language": { values: ["no language"] },
  "--country": { values: ["Atlantis"] },
  "--form": { values: ["nonsense", `input=@${MISSING}`] },
  "--topic": { values: [LONG] },
  "--like": { values: ["ftp://x/", MISSING, "./missing.txt", "missing.txt"] },
  "--until": { values: ["2"] },
  "--limit-per-host": { values: ["x"] },
  "--render": { values: ["maybe"] },
  "--wait-for": { values: ["##"], beside: DRAWN },
  "--click": { values: ["##"], beside: DRAWN },
  "--scroll": { values: ["x", "99999"], beside: DRAWN },
  "--viewport": { values: ["big", "99999x99999", "1x1"], beside: DRAWN },
  "--delay": { values: ["soon", "99999999"] },
  "--max-delay": { values: ["x", "99999999"] },
  "--delay-factor": { values: ["x", "99999999"] },
  "--concurrency": { values: ["0", "1000"] },
  "--bandwidth": { values: ["fast"] },
  "--user-agent": { values: ["", "a\nb"] },
  "--from": { values: ["nobody"] },
  "--accept-language": { values: ["\u00a7"] },
  "--header": { values: ["nonsense", "A B: c", "A: b\u0001", "Host: other.example"] },
  "--session": { values: ["nobody"] },
  "--signed-in": { values: ["##"] },
  "--allow-action": { values: [""] },
  "--max-cost": { values: ["x", "99999999999"] },
  "--max-bytes": { values: ["x"] },
  "--max-time": { values: ["x"] },
  "--timeout": { values: ["x", "0", "99999"] },
  "--max-body-size": { values: ["x", "0", "999999GB"] },
  "--max-document-size": { values: ["x", "999999GB"] },
  "--max-attempts": { values: ["0", "999"] },
  "--max-redirects": { values: ["x", "999"] },
  "--max-queued": { values: ["0", "999999999"] },
  "--retention-days": { values: ["x", "99999999"] },
  "--documents": { values: ["paper"] },
  "--content-selector": { values: ["##"] },
  "--remove-selector": { values: ["h1["] },
  "--fields": { values: [MISSING, NO_JSON] },
  "--extract": { values: [MISSING, NO_JSON] },
  "--extract-by": { values: ["magic"] },
  "--model-calls": { values: ["x"] },
  "--model-cost": { values: ["x"] },
  "--model-prices": { values: ["cheap"] },
  "--chunk-tokens": { values: ["x", "1", "999999"] },
  "--store": { values: ["nowhere"] },
  "--modified-since": { values: ["x"] },
  "--webhook": { values: ["ftp://x/", "no url"] },
  "--webhook-events": { values: ["nothing"], beside: WEBHOOK },
  "--webhook-secret": { values: ["x"], beside: WEBHOOK },
  "--webhook-format": { values: ["paper"], beside: WEBHOOK },
  "--webhook-template": { values: [MISSING], beside: WEBHOOK },
  "--webhook-header": { values: ["nonsense", "A B: c"], beside: WEBHOOK },
  "--mail-from": { values: ["nobody"], beside: MAIL },
  "--mail-to": { values: ["nobody"], beside: MAIL },
  "--digest": { values: ["sometimes"], beside: WEBHOOK },
  "--when": { values: ["nonsense"], beside: WEBHOOK },
  "--when-text": { values: ["nonsense"], beside: WEBHOOK },
  "--every": { values: ["x", "1s", "x:/a"] },
  "--watch-selector": { values: ["##"] },
  "--ignore-selector": { values: ["##"] },
  "--ignore-text": { values: [""] },
  "--ignore-url": { values: [""] },
  "--least-share": { values: ["2"] },
  "--tell": { values: ["gossip"] },
  "--keep": { values: ["x"] },
  "--own": { values: ["no host!"] },
  "--allow-private": { values: ["no host!"] },
  "--purpose": { values: ["fun"] },
  "--content-use": { values: ["all"] },
  "--max-url-length": { values: ["x", "99999999"] },
  "--max-path-depth": { values: ["0", "9999999"] },
  "--max-repeated-segments": { values: ["0", "999999"] },
  "--max-variants": { values: ["x", "999999999999"] },
  "--max-chain": { values: ["0", "99999999999"] },
  "--max-duplicates": { values: ["x", "999999999"] },
  "--urls": { values: [MISSING, NO_JSON] },
  "--cookie-file": { values: [MISSING, NO_JSON] },
  "--expect": { values: [MISSING, NO_JSON] },
  "--fail-on": { values: ["rain"] },
  "--insecure": { values: ["no host!"] },
};
/** A folder takes any name, and an address of an installation is another matter. */
const OTHERS = new Set(["--out", "--state", "--remote", "--token"]);

test.each(["crawl", "watch"])("%s", { timeout: 600_000 }, async (name) => {
  const command = (await makeProgram()).commands.find((each) => each.name() === name);
  const flags = (command?.options ?? [])
    .filter(({ long, required }) => required && !OTHERS.has(long ?? ""))
    .map(({ long }) => long ?? "");
  const cases = flags.flatMap((flag) =>
    (WRONG[flag]?.values ?? [`no value for ${flag}`]).map((value) => ({ flag, value })),
  );
  const problems: string[] = [];
  const tryNext = async (): Promise<void> => {
    for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
      const { flag, value } = next;
      const given = [...(WRONG[flag]?.beside ?? []), flag, value];
      // A list of URLs stands in the place of seeds.
      const seeds = /^--(?:urls|expect)$/.test(flag) ? [] : [SEED];
      const { code, stdout, stderr } = await run(name, ...seeds, ...given, ...shared.served.remote);
      const isNamed = new RegExp(`(?:^|; |')${flag}\\b`, "m").test(stderr);
      if (code !== 2 || !isNamed) problems.push(`${flag} ${value.slice(0, 50)}: ${code} ${stdout}${stderr}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tryNext));
  expect(problems).toEqual([]);
});

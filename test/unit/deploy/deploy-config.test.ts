import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { plan } from "../../../scripts/deploy-commands.ts";
import { readInstallation, withoutLimits } from "../../../scripts/deploy-config.ts";
import { nameSection, SECTIONS } from "../../../scripts/needed-sections.ts";
import { ROOT } from "../../../scripts/wrangler.ts";
import { EDGE_READERS } from "../../../src/frontier/documents/edge-readers.ts";

const OURS = join(ROOT, "wrangler.toml");
const folder = mkdtempSync(join(tmpdir(), "orbweaver-deploy-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(change: (ours: string) => string): string {
  const file = join(folder, "wrangler.toml");
  writeFileSync(file, change(readFileSync(OURS, "utf8")));
  return file;
}

describe("the button", () => {
  // https://developers.cloudflare.com/workers/platform/deploy-buttons/
  const { bindings } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).cloudflare;
  const asked = readFileSync(join(ROOT, ".dev.vars.example"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

  it("asks for the token alone, and suggests none: a suggestion would be everybody's", () => {
    expect(asked).toEqual(["API_TOKEN="]);
  });

  it("describes what it asks for, and nothing that is not there", () => {
    const ours = readFileSync(OURS, "utf8");
    const names = Object.keys(bindings).filter((name) => !asked.includes(`${name}=`));
    for (const name of names) expect(ours).toMatch(new RegExp(`^(?:${name} = |\\[vars\\.${name}\\])`, "m"));
    expect(Object.keys(bindings)).toContain("API_TOKEN");
  });
});

describe("the configuration", () => {
  it("of this repository names all that a deploy needs", async () => {
    const { worker, queues, ledgers, mirror } = await readInstallation(OURS);
    expect({ worker, queues, ledgers: ledgers.map(({ name }) => name), mirror }).toEqual({
      worker: "orbweaver",
      queues: ["orbweaver-frontier", "orbweaver-notices", "orbweaver-documents", "orbweaver-dead-letter"],
      ledgers: ["orbweaver"],
      mirror: "orbweaver-mirror",
    });
  });

  describe("of an earlier version", () => {
    const without = (pattern: RegExp) => written((ours) => ours.replace(pattern, ""));

    it("is refused without what the Worker needs, and the error names it", async () => {
      const file = without(/\[\[workflows\]\]\n(?:.+\n)+/);
      await expect(readInstallation(file)).rejects.toThrow(/has no \[\[workflows\]\] PASSES \(since 0\.2\)\. Copy/);
    });

    it("may lack what only turns something off", async () => {
      expect((await readInstallation(OURS)).missing).toEqual([]);
      const { missing } = await readInstallation(without(/\[browser\]\n(?:.+\n)+/));
      expect(missing.map(nameSection)).toEqual(["[browser] BROWSER (since 0.2)"]);
    });

    it("takes batches as small as one invocation can fetch, and larger ones are named", async () => {
      expect((await readInstallation(OURS)).tooLargeBatch).toBeNull();
      const earlier = written((ours) => ours.replace(/max_batch_size = 2\n/, "max_batch_size = 5\n"));
      expect((await readInstallation(earlier)).tooLargeBatch).toBe(5);
      const unset = without(/max_batch_size = 2\n/);
      expect((await readInstallation(unset)).tooLargeBatch).toBe(10);
    });

    it("has its sections in docs/operating.md, with what is off without them", () => {
      const table = readFileSync(join(ROOT, "docs", "operating.md"), "utf8");
      for (const { section, name, since, without: off } of SECTIONS)
        expect(table).toContain(`| \`${`${section} ${name}`.trim()}\` | ${since} | ${off ?? "needed"} |`);
    });
  });

  it("lets as many documents be read at the same time as the code counts on", async () => {
    const { unstable_readConfig } = await import("wrangler");
    const { consumers = [] } = unstable_readConfig({ config: OURS }).queues;
    const documents = consumers.find(({ queue }: { queue: string }) => queue === "orbweaver-documents");
    expect(documents?.max_concurrency).toBe(EDGE_READERS);
  });

  it("has OWN_HOSTS as text, and a list of them is refused, because the Worker reads text", async () => {
    const withOwnHosts = (setting: string) =>
      written((ours) => ours.replace(/^\[vars\]$/m, `[vars]\nOWN_HOSTS = ${setting}`));
    expect((await readInstallation(withOwnHosts('"a.example b.example"'))).ownHosts).toBe("a.example b.example");
    await expect(readInstallation(withOwnHosts('["a.example", "b.example"]'))).rejects.toThrow("vars.OWN_HOSTS");
  });

  it("of a second installation is the same file with another name", async () => {
    const { worker, queues, ledgers, mirror } = await readInstallation(
      written((ours) => ours.replaceAll("orbweaver", "orbweaver-news")),
    );
    expect([worker, ...queues, ledgers[0]?.name, mirror]).toEqual([
      "orbweaver-news",
      "orbweaver-news-frontier",
      "orbweaver-news-notices",
      "orbweaver-news-documents",
      "orbweaver-news-dead-letter",
      "orbweaver-news",
      "orbweaver-news-mirror",
    ]);
  });

  it.each([
    [
      "a queue without a role",
      'frontier = "orbweaver-frontier"',
      'frontier = "frontier"',
      'does not name the queue "orbweaver-frontier"',
    ],
    [
      "a role without a queue",
      'frontier = "orbweaver-frontier"',
      'frontier = "frontier"',
      'has the queue "frontier" of [vars.QUEUES]',
    ],
    [
      "a dead-letter queue without a role",
      'dead_letter_queue = "orbweaver-dead-letter"',
      'dead_letter_queue = "x"',
      'the queue "x"',
    ],
  ])("must not have %s", async (_, before, after, words) => {
    await expect(readInstallation(written((ours) => ours.replace(before, after)))).rejects.toThrow(words);
  });

  it("must have [vars.QUEUES]", async () => {
    const file = written((ours) => ours.replace("[vars.QUEUES]", "[vars.OTHERS]"));
    await expect(readInstallation(file)).rejects.toThrow("vars.QUEUES");
  });

  it("needs no binding to itself, which a first deploy would refuse", async () => {
    expect(readFileSync(OURS, "utf8")).not.toContain('service = "orbweaver"');
  });

  it("can be had without its limits, which the free plan refuses", async () => {
    const { limits, services, ...others } = JSON.parse(await withoutLimits(OURS));
    expect([limits, services]).toEqual([undefined, undefined]);
    expect(others).toMatchObject({
      name: "orbweaver",
      main: "src/index.ts",
      vars: { STORE: "warc", DATABASE_LIMIT: "500 MB" },
    });
    const own = written((ours) => ours.replace("[vars]\n", '[vars]\nDATABASE_LIMIT = "300 MB"\n'));
    expect(JSON.parse(await withoutLimits(own)).vars.DATABASE_LIMIT).toBe("300 MB");
  });

  it("must have a readable limit of the database, if it has one", async () => {
    const file = written((ours) => ours.replace("[vars]\n", '[vars]\nDATABASE_LIMIT = "ten"\n'));
    await expect(readInstallation(file)).rejects.toThrow('vars.DATABASE_LIMIT: it is a size such as "10 GB"');
  });

  it("must name the database", async () => {
    const file = written((ours) => ours.replace('database_name = "orbweaver"\n', ""));
    await expect(readInstallation(file)).rejects.toThrow("d1_databases.0.database_name");
  });

  it("must be there, and be TOML", async () => {
    await expect(readInstallation(join(folder, "none.toml"))).rejects.toThrow("cannot be used");
    await expect(readInstallation(written(() => "name = "))).rejects.toThrow("cannot be used");
  });
});

/** The part of wrangler's command tree that we read. */
interface CommandNode {
  subtree: Map<string, CommandNode>;
  definition?: { type: string; args?: Record<string, unknown>; positionalArgs?: string[] };
}

describe("every command that a deploy runs", async () => {
  const { experimental_getWranglerCommands } = await import("wrangler");
  const { registry } = experimental_getWranglerCommands() as unknown as { registry: CommandNode };
  const commands = plan(await readInstallation(OURS), { readToken: true }).map(({ args }) => args);

  it.each(commands.map((args) => [args.join(" "), args] as const))("this wrangler has %s", (_, args) => {
    let node = registry;
    let rest = args;
    for (;;) {
      const [word = "", ...more] = rest;
      const next = node.subtree.get(word);
      if (next === undefined) break;
      node = next;
      rest = more;
    }
    const { type, args: options = {}, positionalArgs = [] } = node.definition ?? { type: "none" };
    expect(type).toBe("command");
    const flags = rest.filter((word) => word.startsWith("--")).map((flag) => flag.slice(2));
    expect(Object.keys(options)).toEqual(expect.arrayContaining(flags));
    expect(rest.length - flags.length).toBeLessThanOrEqual(positionalArgs.length);
  });
});

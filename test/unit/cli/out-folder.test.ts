import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  claimFolder,
  FolderTaken,
  type OutFolder,
  prepareOut,
  readOwner,
  writeFolder,
} from "../../../src/cli/output/out-folder.ts";

let dir = "";
let folder: OutFolder;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "orbweaver-out-"));
  folder = { dir, where: { state: ".orbweaver" } };
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const OWNER = { id: "3f9a-1", urls: ["https://a.test/"] };
const read = (path: string) => readFileSync(join(dir, path), "utf8");

async function writeOnce(lines = "1\n2\n"): Promise<void> {
  await writeFolder(folder, OWNER, async ({ addFile, addLines }) => {
    await addFile("pages/a.test/index.html", "home");
    await addLines(lines);
  });
}

describe("a folder that is written", () => {
  test("names its crawl first, and gets records.jsonl last", async () => {
    await writeFolder(folder, OWNER, async ({ addFile, addLines }) => {
      expect(JSON.parse(read("crawl.json"))).toMatchObject(OWNER);
      await addLines("1\n");
      await addFile("pages/a.test/b/c.html", Uint8Array.of(65));
      await addLines("2\n");
      expect(read("pages/a.test/b/c.html")).toBe("A");
      expect(existsSync(join(dir, "records.jsonl"))).toBe(false);
    });
    expect(read("records.jsonl")).toBe("1\n2\n");
    expect(readdirSync(dir).sort()).toEqual(["crawl.json", "pages", "records.jsonl"]);
  });

  test.each(["../x", "pages/../../x", "pages/../..", ".", ""])("gets no file outside it: %j", async (path) => {
    const writing = writeFolder({ ...folder, dir: join(dir, "in") }, OWNER, ({ addFile }) => addFile(path, "theirs"));
    await expect(writing).rejects.toThrow("names a file outside");
    expect(readdirSync(dir)).toEqual(["in"]);
  });

  test("has no records.jsonl from the first changed file on, and says how it is completed", async () => {
    await writeOnce("earlier\n");
    const broken = writeFolder(folder, OWNER, async ({ addFile, addLines }) => {
      expect(read("records.jsonl")).toBe("earlier\n");
      await addFile("pages/a.test/index.html", "changed");
      expect(existsSync(join(dir, "records.jsonl"))).toBe(false);
      await addLines("half");
      throw new Error("the disk is full");
    });
    await expect(broken).rejects.toThrow("the disk is full");
    expect(readdirSync(dir).sort()).toEqual(["crawl.json", "pages"]);
    expect(JSON.parse(read("crawl.json")).note).toBe(
      `The folder is complete when it has records.jsonl. To write it: npm run orbweaver -- resume 3f9a-1 --out ${dir}`,
    );
    await writeOnce();
    expect(read("records.jsonl")).toBe("1\n2\n");
  });

  test("keeps its records.jsonl if the writing breaks off before the first file", async () => {
    await writeOnce("earlier\n");
    const broken = writeFolder(folder, OWNER, async ({ addLines }) => {
      await addLines("half");
      throw new Error("no answer");
    });
    await expect(broken).rejects.toThrow("no answer");
    expect(read("records.jsonl")).toBe("earlier\n");
    expect(readdirSync(dir).sort()).toEqual(["crawl.json", "pages", "records.jsonl"]);
  });

  test("loses what a kill left of its temporary files", async () => {
    mkdirSync(join(dir, ".partial"));
    writeFileSync(join(dir, ".partial", "7"), "half");
    await writeOnce();
    expect(existsSync(join(dir, ".partial"))).toBe(false);
  });
});

describe("who may write a folder", () => {
  test.each<[string, string | null, string | null]>([
    ["its own crawl", "3f9a-1", null],
    ["its own crawl by the beginning of its id", "3f9a", null],
    ["another crawl", "3f9a-2", "belongs to crawl 3f9a-1. Choose another with --out DIR, or remove this one."],
    ["a crawl that has not started", null, "To write that crawl again: npm run orbweaver -- resume 3f9a-1 --out"],
  ])("%s", async (_, id, refusal) => {
    await writeOnce();
    expect(await readOwner(dir)).toBe("3f9a-1");
    if (refusal === null) await prepareOut(folder, id);
    else await expect(prepareOut(folder, id)).rejects.toThrow(refusal);
  });

  test("another crawl changes nothing", async () => {
    await writeOnce();
    const other = writeFolder(folder, { ...OWNER, id: "other" }, async () => expect.fail("it writes"));
    await expect(other).rejects.toThrow("crawl 3f9a-1");
    expect([await readOwner(dir), read("records.jsonl")]).toEqual(["3f9a-1", "1\n2\n"]);
  });

  test("one of several that claim it at once", async () => {
    const ids = Array.from({ length: 8 }, (_, i) => `crawl-${i}`);
    const claims = await Promise.allSettled(ids.map((id) => claimFolder(folder, { ...OWNER, id })));
    const owner = await readOwner(dir);
    expect(claims.map(({ status }) => status === "fulfilled")).toEqual(ids.map((id) => id === owner));
    for (const claim of claims) if (claim.status === "rejected") expect(claim.reason).toBeInstanceOf(FolderTaken);
  });

  test("nobody, if its crawl.json names no crawl", async () => {
    writeFileSync(join(dir, "crawl.json"), "");
    await expect(claimFolder(folder, OWNER)).rejects.toThrow("crawl.json names no crawl. Remove it, or choose another");
  });

  test("another crawl gets no new folder in it", async () => {
    writeFileSync(join(dir, "crawl.json"), '{"id":"other"}');
    await expect(prepareOut(folder, null)).rejects.toThrow("belongs to crawl other");
    expect(readdirSync(dir)).toEqual(["crawl.json"]);
  });

  test("the command that writes its crawl leads to the same installation and folder", async () => {
    await writeOnce();
    const remote = { dir, where: { remote: "https://a.test", token: "secret", state: "my state" } };
    await expect(prepareOut(remote, "x")).rejects.toThrow(`resume 3f9a-1 --out ${dir} --remote https://a.test`);
    const local = { dir, where: { state: "my state" } };
    await expect(prepareOut(local, "x")).rejects.toThrow(`resume 3f9a-1 --out ${dir} --state 'my state'`);
  });

  test.each([
    ["any crawl, if the folder is new", [], null],
    ["any crawl, if the folder has other files", ["notes.txt"], null],
    ["none, if an earlier version wrote it", ["records.jsonl"], "already has the records of a crawl. Choose another"],
  ])("%s", async (_, files, refusal) => {
    for (const file of files) writeFileSync(join(dir, file), "");
    if (refusal === null) await prepareOut(folder, "x");
    else await expect(prepareOut(folder, "x")).rejects.toThrow(refusal);
  });
});

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { prepareOut, readOwner, writeFolder } from "../../../src/cli/out-folder.ts";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "orbweaver-out-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const OWNER = { id: "3f9a-1", urls: ["https://a.test/"] };
const read = (path: string) => readFileSync(join(dir, path), "utf8");

async function writeOnce(lines = "1\n2\n"): Promise<void> {
  await writeFolder(dir, OWNER, async ({ addFile, addLines }) => {
    await addFile("pages/a.test/index.html", "home");
    await addLines(lines);
  });
}

describe("a folder that is written", () => {
  test("names its crawl first, and gets records.jsonl last", async () => {
    await writeFolder(dir, OWNER, async ({ addFile, addLines }) => {
      expect(JSON.parse(read("crawl.json"))).toEqual(OWNER);
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
    const writing = writeFolder(join(dir, "in"), OWNER, ({ addFile }) => addFile(path, "theirs"));
    await expect(writing).rejects.toThrow("names a file outside");
    expect(readdirSync(dir)).toEqual(["in"]);
  });

  test("keeps an earlier records.jsonl and no temporary file if the writing breaks off", async () => {
    await writeOnce("earlier\n");
    const broken = writeFolder(dir, OWNER, async ({ addLines }) => {
      await addLines("half");
      throw new Error("the disk is full");
    });
    await expect(broken).rejects.toThrow("the disk is full");
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
    ["another crawl", "3f9a-2", "has the pages of crawl 3f9a-1. Choose another with --out DIR, or remove this one."],
    ["a crawl that has not started", null, "To write that crawl again: npm run orbweaver -- resume 3f9a-1 --out"],
  ])("%s", async (_, id, refusal) => {
    await writeOnce();
    expect(await readOwner(dir)).toBe("3f9a-1");
    if (refusal === null) await prepareOut(dir, id);
    else await expect(prepareOut(dir, id)).rejects.toThrow(refusal);
  });

  test("another crawl changes nothing", async () => {
    await writeOnce();
    const other = writeFolder(dir, { ...OWNER, id: "other" }, async () => expect.fail("it writes"));
    await expect(other).rejects.toThrow("crawl 3f9a-1");
    expect([await readOwner(dir), read("records.jsonl")]).toEqual(["3f9a-1", "1\n2\n"]);
  });

  test.each([
    ["any crawl, if the folder is new", [], null],
    ["any crawl, if the folder has other files", ["notes.txt"], null],
    ["none, if an earlier version wrote it", ["records.jsonl"], "already has the records of a crawl. Choose another"],
  ])("%s", async (_, files, refusal) => {
    for (const file of files) writeFileSync(join(dir, file), "");
    if (refusal === null) await prepareOut(dir, "x");
    else await expect(prepareOut(dir, "x")).rejects.toThrow(refusal);
  });
});

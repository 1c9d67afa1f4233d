import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { TOOLS } from "../../../../src/api/mcp/tools.ts";

/** What the tools say of themselves, to models and in the documentation. */

test("docs/mcp.md has a row of each tool, with its effect", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/mcp.md"), "utf8");
  const rows = [...docs.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, effect]) => `${name} ${effect}`);
  expect(rows).toEqual(TOOLS.map(({ name, effect }) => `${name} ${effect}`));
});

test.each(TOOLS.map((tool) => [tool.name, tool] as const))(
  "%s and each of its parameters have a sentence",
  (_, tool) => {
    expect(tool.description).toMatch(/\.$/);
    const { properties = {} } = z.toJSONSchema(tool.input, { io: "input" });
    for (const [name, property] of Object.entries(properties))
      expect([name, property]).toEqual([
        name,
        expect.objectContaining({ description: expect.stringMatching(/[.)]$/) }),
      ]);
  },
);

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { loadMiniflare, withDoublingMessage } from "../../../src/cli/machine/load-miniflare.ts";

const PATH = createRequire(import.meta.url).resolve("miniflare");

test("the message to workerd doubles as it grows, in the version of miniflare that is installed", () => {
  const source = readFileSync(PATH, "utf8");
  expect(withDoublingMessage(source)).toContain("srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength)");
  expect(withDoublingMessage("another version")).toBe("another version");
});

test("the message to workerd is the same bytes", () => {
  const config = {
    services: Array.from({ length: 200 }, (_, i) => ({
      name: `service ${i}`,
      worker: {
        modules: [{ name: "index.js", esModule: "/* a Worker */".repeat(2_000) }],
        compatibilityDate: "2026-11-01",
      },
    })),
  };
  const plain = createRequire(import.meta.url)("miniflare") as typeof import("miniflare");
  expect(Buffer.from(loadMiniflare().serializeConfig(config)).equals(plain.serializeConfig(config))).toBe(true);
});

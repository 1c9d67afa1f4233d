import fc from "fast-check";
import { expect, test } from "vitest";
import { settleContent } from "../../../../../src/media/html/article/settle-content.ts";
import { copyDocument } from "../../../../../src/media/html/tree/copy-document.ts";
import { parseHtml } from "../../../../../src/media/html/tree/linkedom.ts";
import { compareTree } from "./compare-blocks.ts";
import { generatedBlocks } from "./generated-page.ts";

const RUNS = Number(process.env.STRUCTURE_RUNS ?? 100);

test("Markdown gives back the blocks of any content", { timeout: 120_000 + 20 * RUNS }, () => {
  fc.assert(
    fc.property(generatedBlocks, (html) => {
      const root = copyDocument(parseHtml(`<html><body>${html}</body></html>`), { everything: true }).body;
      settleContent(root, "https://example.com/dir/page");
      const { lost, invented } = compareTree(root);
      expect({ lost, invented }).toEqual({ lost: [], invented: [] });
    }),
    { numRuns: RUNS },
  );
});

import { expect, test } from "vitest";
import type { HostView } from "../../../src/api/views.ts";
import { SamePagesPanel } from "../../../src/console/crawl/same-pages-panel.tsx";

const RULE: HostView["samePages"][number] = {
  ...{ scope: "/shop/*", part: "?sort<b>", state: "in use", same: 1_008, different: 0, confidence: 1, samples: 3 },
  ...{ values: ["up"], examples: [["https://a.test/shop/x?sort=up", "https://a.test/shop/x"]], withdrawnBy: null },
};
const render = (samePages: HostView["samePages"]) =>
  String(SamePagesPanel({ hosts: [{ host: "a.test", samePages } as HostView] }));

test("a rule has its place, state, evidence and an example, and its text is escaped", () => {
  const html = render([RULE]);
  for (const text of ["a.test/shop/*", "?sort&lt;b&gt;", "in use", "1,008", "https://a.test/shop/x?sort=up"])
    expect(html).toContain(text);
});

test("a withdrawn rule shows the page that ended it, and no rules show nothing", () => {
  expect(render([{ ...RULE, state: "withdrawn", withdrawnBy: "https://a.test/shop/y?sort=up" }])).toContain("/shop/y");
  expect(render([])).toBe("null");
});

import { describe, expect, test } from "vitest";
import type { PageKind } from "../../../../src/media/document.ts";
import { decidePageKind, type KindFacts, looksMissing } from "../../../../src/media/html/facts/page-kind.ts";

const FACTS: KindFacts = {
  url: "https://example.com/a/b",
  types: [],
  openGraphType: "",
  title: null,
  h1: null,
  hasPrice: false,
  products: 0,
  isManual: false,
};

test.each<[kind: PageKind, facts: Partial<KindFacts>, shape?: PageKind]>([
  ["other", {}],
  ["article", {}, "article"],
  ["listing", {}, "listing"],
  ["forum", {}, "forum"],
  ["forum", { url: "https://example.com/viewtopic.php?t=1" }],
  ["home", { url: "https://example.com/" }, "article"],
  ["home", { url: "https://example.com/index.html" }, "listing"],
  ["search", { url: "https://example.com/search?q=a" }, "listing"],
  ["search", { url: "https://example.com/?s=a" }],
  ["search", { types: ["SearchResultsPage"] }],
  ["search", { title: "Search results for a" }],
  ["other", { title: "Search engines" }],
  ["other", { url: "https://example.com/list?q=a" }],
  ["product", { types: ["Product", "Offer"] }],
  ["product", { products: 1 }, "article"],
  ["product", { openGraphType: "product" }],
  ["product", { hasPrice: true }],
  ["listing", { types: ["Product", "Product"] }, "listing"],
  ["listing", { products: 12 }, "listing"],
  ["documentation", { isManual: true }, "article"],
  ["documentation", { types: ["TechArticle"] }, "article"],
  ["documentation", { url: "https://docs.example.com/a" }, "article"],
  ["documentation", { url: "https://example.com/docs/a" }],
  ["article", { url: "https://example.com/docs/a", types: ["NewsArticle"] }, "article"],
  ["error", { title: "404" }],
  ["error", { title: "Error 404 – Example", url: "https://example.com/" }],
  ["error", { h1: "Page not found" }],
])("%s: %j", (kind, facts, shape = "other") => {
  expect(decidePageKind({ ...FACTS, ...facts }, shape, 500)).toBe(kind);
});

describe("a page that says there is none", () => {
  test.each([
    "404 Not Found",
    "HTTP 404",
    "Error: 410 Gone",
    "Seite nicht gefunden",
    "Page introuvable",
    "Página no encontrada",
    "Sorry, the page you requested could not be found",
    "We can’t find that page",
    "Страница не найдена",
    "ページが見つかりません",
    "找不到网页",
  ])("%s", (title) => {
    expect(looksMissing(title, null, 300)).toBe(true);
    expect(looksMissing("Example", title, 300)).toBe(true);
    // It explains the error.
    expect(looksMissing(title, null, 30_000)).toBe(false);
  });

  test.each(["Example", "404 Media", "500 recipes", "Lost and found", "Room 404", "How I found a page"])(
    "%s is none of them",
    (title) => expect(looksMissing(title, title, 300)).toBe(false),
  );
});

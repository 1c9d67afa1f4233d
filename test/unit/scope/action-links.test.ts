import { describe, expect, test } from "vitest";
import { findAction, findActionUrl } from "../../../src/scope/action-links.ts";
import { ACTIONS, ACTIONS_LATER, PAGES, PAGES_LATER } from "./action-urls.ts";

/** Which links change something, by their address, their text and their relation. */

const listOf = (text: string) => text.trim().split("\n");
const isAction = (path: string) => findActionUrl(`https://a.test${path}`) !== null;

/** What the rule gets wrong, by name: a change shows here. docs/sessions.md has the figures. */
test("of addresses that change something", () => {
  expect(listOf(ACTIONS).filter((path) => !isAction(path))).toEqual([]);
  expect(listOf(ACTIONS_LATER).filter((path) => !isAction(path))).toEqual([]);
});

test("of pages that only sound so", () => {
  expect(listOf(PAGES).filter(isAction)).toEqual([]);
  expect(listOf(PAGES_LATER).filter(isAction)).toEqual([]);
});

describe("by the text of the link", () => {
  test.each([
    ["Log out", "/x"],
    ["Sign out ", "/session/end"],
    ["Abmelden", "/x"],
    ["Se déconnecter", "/x"],
    ["Cerrar sesión", "/x"],
    ["ログアウト", "/x"],
    ["Delete", "/items/5/x"],
    ["Delete this comment", "/c?i=5"],
    ["Löschen", "/c?i=5"],
    ["Add to cart", "/c?i=5"],
    ["In den Warenkorb", "/c?i=5"],
    ["Unsubscribe", "/m/5"],
    ["Approve", "/m/5"],
  ])("%s", (text, path) => {
    expect(findAction({ url: `https://a.test${path}`, text })).not.toBe(null);
  });

  test.each([
    ["Delete", "/docs/api/delete"],
    ["Log out", "/help/sessions"],
    ["How to delete a branch", "/x"],
    ["Home", "/"],
    ["Removed features", "/x"],
    ["Delete", "/statement.html"],
    ["", "/x"],
  ])("not %s at %s", (text, path) => {
    expect(findAction({ url: `https://a.test${path}`, text })).toBe(null);
  });
});

test("by its relation", () => {
  expect(findAction({ url: "https://a.test/x", rel: "nofollow logout" })).not.toBe(null);
  expect(findAction({ url: "https://a.test/x", rel: "next nofollow" })).toBe(null);
});

test("any text is judged", () => {
  for (const path of ["/%", "/%E0%A4%A", `/${"a-".repeat(5_000)}`, `/?${"delete&".repeat(500)}`, "/?=", "/?&&=delete"])
    expect(typeof isAction(path)).toBe("boolean");
});

test("by what scripts do with the link", () => {
  const link = { url: "https://a.test/posts/5", text: "Away with it" };
  expect(findAction(link)).toBe(null);
  expect(findAction({ ...link, acts: "data-method=delete" })).toBe("data-method=delete");
});

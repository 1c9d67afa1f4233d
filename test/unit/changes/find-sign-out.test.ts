import { describe, expect, test } from "vitest";
import { findSignOut, isLogIn, type SessionAnswer } from "../../../src/changes/walls/find-sign-out.ts";

/** Which answers look as a stranger gets them. */

const URL = "https://a.test/wiki/page?v=1";
const page = (marked: boolean | null, asks: "password" | "human" | null = null): SessionAnswer => ({
  kind: "page",
  marked,
  asks,
});
const to = (target: string | null): SessionAnswer => ({ kind: "redirect", target });
const error = (status: number | null): SessionAnswer => ({ kind: "error", status });

describe("with a mark", () => {
  test.each<[string, SessionAnswer, "certain" | "perhaps" | null]>([
    ["a page with it", page(true), null],
    ["a page with it that asks for a password, as one to change it", page(true, "password"), null],
    ["a page without it", page(false), "certain"],
    ["a document of which it cannot be told", page(null), null],
    ["another redirect", to("https://a.test/other"), "perhaps"],
    ["a redirect to https", to("https://a.test/wiki/page?v=1"), null],
    ["a redirect to another host's log-in", to("https://login.b.test/x?SAMLRequest=abc"), "certain"],
    ["a redirect that is told the way back", to("https://a.test/hello?from=%2Fwiki%2Fpage%3Fv%3D1"), "certain"],
    ["a redirect nowhere", to(null), null],
    ["401", error(401), "certain"],
    ["419, of Laravel", error(419), "certain"],
    ["403", error(403), "perhaps"],
    ["404", error(404), "perhaps"],
    ["500", error(500), null],
    ["no answer", error(null), null],
  ])("%s", (_, answer, expected) => {
    const found = findSignOut(URL, answer, true);
    expect(found === null ? null : found.isCertain ? "certain" : "perhaps").toBe(expected);
  });
});

describe("without one", () => {
  test.each<[string, SessionAnswer, boolean]>([
    ["a page", page(null), false],
    ["a page that asks for a password", page(null, "password"), true],
    ["a page that asks for a proof of a human", page(null, "human"), false],
    ["a redirect", to("https://a.test/other"), false],
    ["a redirect to a log-in", to("https://a.test/users/sign_in"), true],
    ["401", error(401), true],
    ["403", error(403), false],
    ["404", error(404), false],
  ])("%s", (_, answer, isFound) => {
    expect(findSignOut(URL, answer, false) !== null).toBe(isFound);
  });
});

describe("the name of a log-in", () => {
  test.each([
    "https://a.test/login",
    "https://a.test/wp-login.php?redirect_to=x",
    "https://a.test/users/sign_in",
    "https://a.test/SignIn",
    "https://accounts.a.test/o/oauth2/v2/auth",
    "https://sso.a.test/",
    "https://a.test/saml/start",
    "https://a.test/de/anmelden",
    "https://a.test/fr/connexion",
    "https://a.test/es/iniciar-sesion",
    "https://a.test/%E3%83%AD%E3%82%B0%E3%82%A4%E3%83%B3",
    "https://a.test/index.php/Log_in",
  ])("%s", (url) => {
    expect(isLogIn(url)).toBe(true);
  });

  test.each([
    "https://a.test/blog/in-the-news",
    "https://a.test/authors/ann",
    "https://a.test/catalog/inside",
    "https://a.test/casual",
    "https://a.test/design/intro",
    "https://a.test/%E0%A4%A",
    "https://a.test/page?login=1",
  ])("not %s", (url) => {
    expect(isLogIn(url)).toBe(false);
  });
});

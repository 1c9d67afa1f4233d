import { expect, test } from "vitest";
import { proposeMark } from "../../../src/changes/walls/propose-mark.ts";

/** What is proposed to tell members' pages by. */

const page = (body: string) => `<!doctype html><html><head><title>T</title></head><body>${body}</body></html>`;
const LOG_IN = page('<nav class="bar"><a href="/login" class="login">Log in</a></nav>');

test.each([
  ["a class of a log-out link", '<nav class="bar"><a class="log-out" href="/x">Bye</a></nav>', "a.log-out"],
  ["its text, in other languages", '<a id="ende" href="/x">Abmelden</a>', "#ende"],
  ["an address alone", '<a href="/users/sign_out">Bye</a>', 'a[href="/users/sign_out"]'],
  ["a program", '<a href="/logout.php">Bye</a>', 'a[href="/logout.php"]'],
  [
    "a form that posts",
    '<form action="/session/logout" method="post"><button>Bye</button></form>',
    'form[action="/session/logout"]',
  ],
  ["a button", '<button class="quit btn">Log out</button>', "button.quit"],
  ["who is signed in", '<span class="bar avatar"></span>', "span.bar"],
  ["a menu of the user", '<div id="user-menu">Ann</div>', "#user-menu"],
])("%s", (_, body, selector) => {
  expect(proposeMark(page(body), LOG_IN)).toBe(selector);
});

test("what strangers have too, generated names and addresses with tokens are no marks", () => {
  const shared = '<a class="btn" href="/out?token=1234">Log out</a>';
  expect(proposeMark(page(shared), page('<a class="btn" href="/in">Log in</a>'))).toBe(null);
  expect(proposeMark(page('<a class="css-1a2b3c4d" id="x1234" href="/9f86d081/logout">Log out</a>'), LOG_IN)).toBe(
    null,
  );
  expect(proposeMark(LOG_IN, LOG_IN)).toBe(null);
});

test("a log-out comes before a name, and nothing at all is needed of strangers' pages", () => {
  const both = '<div id="user-menu">Ann</div><a class="log-out" href="/x">Log out</a>';
  expect(proposeMark(page(both), "")).toBe("a.log-out");
  expect(proposeMark("", "")).toBe(null);
});

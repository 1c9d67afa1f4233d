import { expect, test } from "vitest";
import type { DocumentRequest } from "../../../../src/media/document.ts";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";

function readForms(html: string, selector: string, values: string[], charset = "utf-8") {
  const request: DocumentRequest = {
    agent: "orbweaver",
    scriptLinks: false,
    requisites: false,
    formats: null,
    obeyNoindex: false,
    forms: [{ selector, values }],
  };
  const source = { url: "https://site.example/shop/list?page=2", contentType: `text/html; charset=${charset}` };
  const { links, pageLinks, leftOut } = readHtml(new TextEncoder().encode(html), source, request);
  const filled = links.filter(({ kind }) => kind === "form").map(({ url }) => url.replace("https://site.example", ""));
  const texts = pageLinks.filter(({ kind }) => kind === "form").map(({ text }) => text);
  return { filled, texts, postForms: leftOut.postForms };
}

test.each([
  ["action and field", '<form action="/find"><input id=f name=q></form>', ["/find?q=red+shoes"]],
  ["the page without its query where no action is", "<form><input id=f name=q></form>", ["/shop/list?q=red+shoes"]],
  [
    "the query of an action is replaced",
    '<form action="find?a=1#top"><input id=f name=q></form>',
    ["/shop/find?q=red+shoes"],
  ],
  [
    "defaults of other fields",
    `<form action="/find"><input type=hidden name=lang value=en><input id=f name=q value=old><input name=max>
     <input type=checkbox name=sale checked><input type=checkbox name=new><input type=radio name=by value=price checked>
     <select name=in><option value=all>All<option value=men selected>Men</select><textarea name=note>a
b</textarea></form>`,
    ["/find?lang=en&q=red+shoes&max=&sale=on&by=price&in=men&note=a%0D%0Ab"],
  ],
  [
    "the first option of a select, and no disabled or nameless field",
    `<form action="/find"><input id=f name=q><select name=s><option>One two<option>Three</select><input value=1>
     <input name=x disabled value=1><fieldset disabled><input name=y value=1></fieldset></form>`,
    ["/find?q=red+shoes&s=One+two"],
  ],
  [
    "the first submit button alone",
    `<form action="/find"><input id=f name=q><button name=go value=1>Go</button><input type=submit name=lucky value=2>
     <button type=button name=b value=3>B</button></form>`,
    ["/find?q=red+shoes&go=1"],
  ],
  [
    "fields outside of their form",
    `<form id=s action="/find"></form><input id=f name=q form=s><input name=lang value=de form=s>`,
    ["/find?q=red+shoes&lang=de"],
  ],
  ["a field without a form", "<input id=f name=q>", []],
  ["a field without a name", '<form action="/find"><input id=f></form>', []],
  ["a dialog", '<form method=dialog action="/find"><input id=f name=q></form>', []],
  [
    "another site",
    '<form action="https://other.example/find"><input id=f name=q></form>',
    ["https://other.example/find?q=red+shoes"],
  ],
])("%s", (_, html, expected) => {
  expect(readForms(html, "#f", ["red shoes"])).toMatchObject({ filled: expected });
});

test("Each value becomes a link, and its text is the value", () => {
  const page = readForms('<form action="/find"><input name=q></form>', "input[name=q]", ["a", "b&c", "100%"]);
  expect(page.filled).toEqual(["/find?q=a", "/find?q=b%26c", "/find?q=100%25"]);
  expect(page.texts).toEqual(["a", "b&c", "100%"]);
});

test("A selector of the form fills in its first text field", () => {
  const html = '<form role=search action="/find"><input type=hidden name=l value=1><input type=search name=q></form>';
  expect(readForms(html, "form[role=search]", ["a"]).filled).toEqual(["/find?l=1&q=a"]);
});

test("A form that sends POST is counted with its URL, and no link", () => {
  const html = `<form method=POST action="/login"><input class=f name=user></form>
    <form action="/find"><input class=f name=q><button formmethod=post formaction="/save">Save</button></form>
    <form action="/find"><input class=f name=q></form>`;
  const { filled, postForms } = readForms(html, ".f", ["a"]);
  expect(filled).toEqual(["/find?q=a"]);
  expect(postForms).toMatchObject({
    count: 2,
    examples: ["https://site.example/login", "https://site.example/save"],
  });
});

test.each([
  ["utf-8", "", "/find?q=%D0%9C%D0%B8%D1%80"],
  ["windows-1251", "", "/find?q=%CC%E8%F0"],
  ["windows-1251", 'accept-charset="utf-8"', "/find?q=%D0%9C%D0%B8%D1%80"],
  ["utf-8", 'accept-charset="koi8-r"', "/find?q=%ED%C9%D2"],
  ["utf-8", 'accept-charset="nonsense"', "/find?q=%D0%9C%D0%B8%D1%80"],
])("A value is in the encoding of its page: %s %s", (charset, attribute, expected) => {
  const html = `<form ${attribute} action="/find"><input name=q></form>`;
  expect(readForms(html, "input", ["Мир"], charset).filled).toEqual([expected]);
});

test("Forms are links like others: a page with nofollow has none to follow, and a page without the form none", () => {
  expect(readForms("<p>Text</p>", "#f", ["a"])).toMatchObject({ filled: [], postForms: undefined });
});

import { expect, test } from "vitest";
import { readTopic } from "../../../src/fetch/reading/read-topic.ts";
import { readHtml } from "../../../src/media/html/tree/read-html.ts";
import { lensOf } from "../../../src/topic/course/topic-lens.ts";
import { beginTopic } from "../../../src/topic/course/topic-state.ts";

const LENS = lensOf(beginTopic({ words: "otters rivers", examples: [] }));
const REQUEST = { lens: LENS, words: "otters rivers", maxExample: 0 };
const ON =
  "Otters rest on the banks of rivers between two hunts, and whoever walks along the water sees tracks and finds what is left of a meal. ".repeat(
    10,
  );

function read(body: string, isKept = true) {
  const html = `<!doctype html><title>A page</title><main>${body}</main>`;
  const document = readHtml(
    new TextEncoder().encode(html),
    { url: "https://a.test/", contentType: "text/html" },
    {
      ...{ agent: "t", scriptLinks: false, requisites: false, obeyNoindex: false, aroundLinks: true },
      formats: isKept ? ["text"] : null,
    },
  );
  if (document instanceof Promise) throw new Error("HTML is read at once");
  return document;
}

const scoresOf = (body: string) => {
  const document = read(body);
  return readTopic(document, document.links, REQUEST).linkScores;
};

test("each link has a score by its text, what is around it and its URL, in their order", () => {
  const [text = 0, around = 0, url = 0, none = 1] = scoresOf(
    `<p><a href=/1>otters of rivers</a></p><p>About otters and rivers: <a href=/2>more</a></p>
     <p><a href=/otters-rivers>more</a></p><p><a href=/4>invoices</a></p>`,
  );
  expect([text, around, url].every((score) => score > 0)).toBe(true);
  expect(text).toBeGreaterThan(around);
  expect(none).toBe(0.05);
});

test("links to the same URL speak together", () => {
  const [both = 0, one = 1] = scoresOf(
    "<p><a href=/1><img src=i.png></a></p><p><a href=/1>otters of rivers</a></p><p><a href=/2><img src=i.png></a></p>",
  );
  expect(both).toBeGreaterThan(0.5);
  expect(one).toBe(0.05);
});

test("a page on the subject is relevant, and its text stays where it is", () => {
  const document = read(`<p>${ON}</p>`);
  const topic = readTopic(document, document.links, REQUEST);
  expect(topic.relevance).toBeGreaterThan(0.5);
  expect(topic).not.toHaveProperty("example");
});

test("a page that must not be kept is judged by the texts of its links", () => {
  const document = read("<p>Text</p><p><a href=/1>otters in rivers, and the river otter</a></p>", false);
  expect(readTopic(document, document.links, REQUEST).relevance).toBeGreaterThan(0.3);
});

test("an example is its own subject, and returns the beginning of its text", () => {
  const document = read(`<p>${ON}</p><p><a href=/1>the otter</a></p><p><a href=/2>invoices</a></p>`);
  const topic = readTopic(document, document.links, { lens: null, words: "", maxExample: 20 });
  expect(topic.relevance).toBeGreaterThan(0.5);
  expect(topic.example).toBe(ON.slice(0, 20));
  expect(topic.linkScores[0]).toBeGreaterThan(topic.linkScores[1] ?? 1);
});

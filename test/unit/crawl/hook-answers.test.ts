import { describe, expect, test } from "vitest";
import { readDueAnswers, readFoundAnswers, readReadAnswers } from "../../../src/crawl/subject/hook-answers.ts";

describe("what can be used", () => {
  test.each([
    ["nothing to change", readFoundAnswers, [null, undefined, {}], [{}, {}, {}]],
    ["a refusal", readFoundAnswers, [{ refuse: "an archive" }], [{ refuse: "an archive" }]],
    ["a priority", readFoundAnswers, [{ priority: 0 }, { priority: 999 }], [{ priority: 0 }, { priority: 999 }]],
    ["a long reason", readDueAnswers, [{ drop: "x".repeat(1_000) }], [{ drop: "x".repeat(300) }]],
    ["unknown keys", readDueAnswers, [{ drop: "old", since: 5 }], [{ drop: "old" }]],
    [
      "fields and links",
      readReadAnswers,
      [{ fields: { price: 3.5, name: "Lamp", tags: ["a", "b"], gone: null }, links: ["/next"] }],
      [{ fields: { price: 3.5, name: "Lamp", tags: ["a", "b"], gone: null }, links: ["/next"] }],
    ],
    [
      "a long value",
      readReadAnswers,
      [{ fields: { text: "x".repeat(20_000) } }],
      [{ fields: { text: "x".repeat(10_000) } }],
    ],
  ])("%s", (_, read, answers, expected) => {
    expect(read(answers, answers.length)).toEqual(expected);
  });
});

describe("what cannot be used says which answer is wrong", () => {
  test.each([
    ["no list", readFoundAnswers, undefined, 1, "it did not answer with a list"],
    ["too few", readFoundAnswers, [{}], 2, "it answered with 1 items to 2; each item needs an answer, or null"],
    ["a text", readFoundAnswers, [{}, "no"], 2, "answer 2 of 2: it is no object"],
    ["a list", readDueAnswers, [[]], 1, "answer 1 of 1: it is no object"],
    ["an empty reason", readDueAnswers, [{ drop: "" }], 1, "answer 1 of 1: drop is no text that says why"],
    [
      "a reason that is true",
      readFoundAnswers,
      [{ refuse: true }],
      1,
      "answer 1 of 1: refuse is no text that says why",
    ],
    [
      "a priority of 1.5",
      readFoundAnswers,
      [{ priority: 1.5 }],
      1,
      "answer 1 of 1: priority is 1.5; it must be a whole number from 0 to 999",
    ],
    [
      "a priority of an asset",
      readFoundAnswers,
      [{ priority: 1_000 }],
      1,
      "answer 1 of 1: priority is 1000; it must be a whole number from 0 to 999",
    ],
    ["fields in a list", readReadAnswers, [{ fields: [1] }], 1, "answer 1 of 1: fields is no object"],
    [
      "a name with a space",
      readReadAnswers,
      [{ fields: { "a b": 1 } }],
      1,
      'answer 1 of 1: "a b" is no name of a field',
    ],
    [
      "a value that is no number",
      readReadAnswers,
      [{ fields: { n: Number.NaN } }],
      1,
      "answer 1 of 1: the field n is no text, number, or list of texts",
    ],
    [
      "too many fields",
      readReadAnswers,
      [{ fields: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, 1])) }],
      1,
      "answer 1 of 1: it has 51 fields; at most 50 are possible",
    ],
    ["links that are no texts", readReadAnswers, [{ links: [1] }], 1, "answer 1 of 1: links is no list of URLs"],
    [
      "too many links",
      readReadAnswers,
      [{ links: Array.from({ length: 1_001 }, () => "/") }],
      1,
      "answer 1 of 1: it has 1001 links; at most 1000 are possible",
    ],
  ])("%s", (_, read, answers, count, message) => {
    expect(() => read(answers, count)).toThrow(message);
  });
});

import { expect, test } from "vitest";
import { crawlRequest, type Installation, toOptions } from "../../../src/api/crawls/crawl-request.ts";

/** Conditions of a webhook that a crawl begins with, on fields that its pages can have. */

const INSTALLATION: Installation = {
  userAgent: "Test/1",
  store: "warc",
  maxCostUsd: 0,
  documents: [],
  privateAccess: "none",
  allowAddresses: false,
  model: { problem: null, prices: "" },
};
const SCHEMA = { type: "object", properties: { price: { type: "number" }, name: { type: "string" } } };
const fields = { stock: { selector: ".stock" } };

function optionsOf(more: object, when: string, installation: Partial<Installation> = {}) {
  const webhook = { url: "https://receiver.example/", when: [when] };
  const request = crawlRequest.parse({ url: "https://shop.example/", webhook, ...more });
  return toOptions(request, { ...INSTALLATION, ...installation });
}

test.each<[string, object, string, Partial<Installation>?]>([
  ["a field by rule", { fields }, "stock = yes"],
  ["a value of the schema", { extract: { schema: SCHEMA } }, "price < 20"],
  ["either of both", { fields, extract: { schema: SCHEMA } }, "stock = yes"],
  ["whatever a prompt without a schema gives", { extract: { prompt: "the price" } }, "price < 20"],
  ["whatever a hook gives", {}, "price < 20", { hasHook: true }],
])("a condition is taken on %s", (_, more, when, installation) => {
  expect(optionsOf(more, when, installation).webhook?.telling?.when).toEqual([when]);
});

test.each<[string, object, string]>([
  ["without fields", {}, "It reads no fields"],
  ["with other fields", { fields }, "Its fields: stock."],
  ["with other values", { fields, extract: { schema: SCHEMA } }, "Its fields: stock, price, name."],
])("a condition on a field that no page can have is refused %s", (_, more, says) => {
  expect(() => optionsOf(more, "prise < 20")).toThrow(`webhook.when: the crawl has no field "prise". ${says}`);
});

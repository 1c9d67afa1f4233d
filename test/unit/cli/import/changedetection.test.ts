import { expect, test } from "vitest";
import { type ForeignWatch, readWatches } from "../../../../src/cli/import/changedetection.ts";

/** The lists of changedetection.io, in the forms of its versions. */

const PLAIN: ForeignWatch = {
  ...{ url: "https://a.test/", everyS: null, isDrawn: false, headers: {}, elements: [], lacks: [], problem: null },
  ignore: { selectors: [], patterns: [] },
};
const inBackup = (watch: object, settings: object = {}) =>
  JSON.stringify({ watching: { "0a": { url: "https://a.test/", ...watch } }, settings });

test.each<[name: string, text: string, watches: Partial<ForeignWatch>[]]>([
  ["a list of URLs", "https://a.test/\r\nhttp://b.test/x\r\n", [{}, { url: "http://b.test/x" }]],
  ["a list with tags", "https://a.test/ ['tag', 'b']\r\n# note\r\n\r\n", [{}]],
  ["the API's list", JSON.stringify({ "0a": { url: "https://a.test/", title: "A", last_checked: 1 } }), [{}]],
  ["a file of one watch", JSON.stringify({ url: "https://a.test/", uuid: "0a" }), [{}]],
  ["a back-up without watches", JSON.stringify({ watching: {}, settings: {} }), []],
  [
    "an interval of its own",
    inBackup({ time_between_check: { weeks: null, days: 1, hours: "2", minutes: null } }),
    [{ everyS: 93_600 }],
  ],
  [
    "the interval of all",
    inBackup(
      { time_between_check: { days: 1 }, time_between_check_use_default: true },
      { requests: { time_between_check: { hours: 6 } } },
    ),
    [{ everyS: 21_600 }],
  ],
  [
    "removed elements",
    inBackup({ subtractive_selectors: ["nav", "//div", " "] }),
    [{ ignore: { selectors: ["nav"], patterns: [] }, lacks: ["removed elements that are no CSS selector (//div)"] }],
  ],
  [
    "a filter of an old version",
    inBackup({ css_filter: "#price" }),
    [
      {
        elements: ["#price"],
        lacks: ["a filter by elements: their content is a field, and the rest of the page is watched too"],
      },
    ],
  ],
  [
    "filters by XPath and JSONPath",
    inBackup({ include_filters: ["xpath://b", "json:$.a"] }),
    [{ lacks: ["a filter by XPath or JSONPath (xpath://b)"] }],
  ],
  [
    "ignored text",
    inBackup({ ignore_text: ["Posted", "/\\d+ ago/i"] }),
    [
      {
        ignore: { selectors: [], patterns: ["*Posted*"] },
        lacks: ["ignored text by a regular expression (/\\d+ ago/i)"],
      },
    ],
  ],
  [
    "headers and a browser",
    inBackup({ headers: { a: "b" }, fetch_backend: "html_webdriver" }),
    [{ headers: { a: "b" }, isDrawn: true }],
  ],
  [
    "what there is not here",
    inBackup({
      browser_steps: [{ operation: "Goto site" }, { operation: "Click element" }],
      notification_urls: ["mailto://x"],
      trigger_text: ["x"],
      processor: "restock_diff",
      time_schedule_limit: { enabled: true },
    }),
    [
      {
        lacks: [
          "browser steps",
          "text that triggers",
          "notifications: `webhooks add ID URL` tells programs, chats and mailboxes",
          "the processor restock_diff",
          "hours at which it is checked",
        ],
      },
    ],
  ],
  [
    "what is set to nothing",
    inBackup({
      browser_steps: [{ operation: "Choose one" }, { operation: "Goto site" }],
      conditions: {},
      proxy: null,
      trigger_text: [],
      processor: "text_json_diff",
      time_schedule_limit: { enabled: false },
    }),
    [{}],
  ],
  ["a paused one", inBackup({ paused: true }), [{ problem: "it is paused there" }]],
  ["one that sends a form", inBackup({ method: "POST" }), [{ problem: "it sends POST, and a watch only reads" }]],
  [
    "one of another scheme",
    inBackup({ url: "file:///etc/passwd" }),
    [{ url: "file:///etc/passwd", problem: "it is no http or https URL" }],
  ],
  [
    "one whose URL is made",
    inBackup({ url: "https://a.test/{% now 'utc' %}" }),
    [{ url: "https://a.test/{% now 'utc' %}", problem: "its URL is a template" }],
  ],
])("%s", (_, text, watches) => {
  expect(readWatches(text)).toEqual(watches.map((watch) => ({ ...PLAIN, ...watch })));
});

test.each(["", "no list", "[1]", "{}", '{"a": 1}', "<html>", "https://a.test/\nnot one", "3"])(
  "%j is no list",
  (text) => {
    expect(readWatches(text)).toBeNull();
  },
);

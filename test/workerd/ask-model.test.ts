import { expect, test } from "vitest";
import { askModel } from "../../src/fetch/model/ask-model.ts";
import { type ModelEnv, type ModelSettings, readModelSettings } from "../../src/fetch/model/model-settings.ts";

/**
 * What is said of a model's server that does not answer as it should: people read it, and it ends without a full stop.
 */

const SETTINGS: ModelSettings = {
  ...{ url: "http://127.0.0.1:1/v1/chat/completions", key: null, name: "tiny", options: {} },
  ...{ characters: 1_000, timeoutMs: 5_000 },
};
const WHERE = "MODEL_URL is the address up to /chat/completions, such as http://127.0.0.1:11434/v1";
const say = (status: number, text: string) => async () => new Response(text, { status });

const CASES: [name: string, fetch: () => Promise<Response>, kind: string, detail: string][] = [
  [
    "a port where nobody listens",
    () => Promise.reject(new Error("Network connection lost.")),
    "later",
    "the model's server (MODEL_URL) could not be reached: connection refused or dropped",
  ],
  [
    "quotes, and a full stop",
    say(401, '{"error":{"message":"The key \\"k\\" is wrong."}}'),
    "refused",
    `the model's server answered 401: The key "k" is wrong`,
  ],
  [
    "a model that is not there",
    say(404, '{"error":{"message":"model \\"tiny\\" not found, try pulling it first"}}'),
    "refused",
    `the model's server answered 404: model "tiny" not found, try pulling it first`,
  ],
  ["another path", say(404, "404 page not found"), "refused", `the model's server answered 404. ${WHERE}`],
  [
    "another program",
    say(200, "<html><body>Welcome to nginx!</body></html>"),
    "later",
    `the model's server answered with a page in place of JSON. ${WHERE}`,
  ],
  [
    "another protocol",
    say(200, '{"response":"hello"}'),
    "refused",
    `the model's server does not speak OpenAI's chat completions. ${WHERE}`,
  ],
  ["a message without an end", say(400, `{"message":"${"x".repeat(500)}`), "refused", "x".repeat(200)],
];

test.each(CASES)("%s", async (_, fetch, kind, detail) => {
  const env = { OPEN_NETWORK: { fetch } } as unknown as Pick<Env, "OPEN_NETWORK">;
  const reply = await askModel({ messages: [{ role: "user", content: "a" }], schema: {} }, SETTINGS, env);
  expect(reply).toMatchObject({ kind, detail: detail.startsWith("x") ? expect.stringContaining(detail) : detail });
});

/** A variable that cannot be read is told wherever the model is asked for. */
const WHOLE: ModelEnv = { MODEL_URL: "http://127.0.0.1:11434/v1", MODEL: "tiny" };

test.each<[string, ModelEnv]>([
  ["This installation has no model", {}],
  ["MODEL_URL", { ...WHOLE, MODEL_URL: "http://me:secret@a.test/v1" }],
  ["MODEL_OPTIONS", { ...WHOLE, MODEL_OPTIONS: "[1]" }],
  ["MODEL_CHARACTERS", { ...WHOLE, MODEL_CHARACTERS: "many" }],
  ["MODEL_TIMEOUT_S", { ...WHOLE, MODEL_TIMEOUT_S: "0" }],
  ["MODEL_PRICES", { ...WHOLE, MODEL_PRICES: "x" }],
  ["MODEL_PRICES", { ...WHOLE, MODEL_PRICES: "0.4;1.6" }],
])("%s is named", (name, env) => {
  const problem = readModelSettings(env);
  expect(typeof problem === "string" && problem.startsWith(name)).toBe(true);
  expect(problem).not.toContain("secret");
});

test("what is empty is not set", () => {
  const settings = readModelSettings({ ...WHOLE, MODEL_KEY: "", MODEL_PRICES: "", MODEL_TIMEOUT_S: "" });
  expect(settings).toMatchObject({ url: "http://127.0.0.1:11434/v1/chat/completions", key: null, timeoutMs: 120_000 });
});

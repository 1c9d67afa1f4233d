import { expect, test } from "vitest";
import { type ModelEnv, readModelSettings } from "../../../../src/fetch/model/model-settings.ts";

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

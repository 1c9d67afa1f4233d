import { test } from "vitest";
import { expectWholeIndex } from "./chunk-index.ts";
import { useModelLedger } from "./platform/model-ledger.ts";

/** Another run of the property of chunk-delta.test.ts. */

useModelLedger();

test("an index that follows has the chunks of a full export, whatever happens meanwhile: run 2", () =>
  expectWholeIndex(2));

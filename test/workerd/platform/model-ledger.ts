import { env } from "cloudflare:test";
import { aroundEach, expect } from "vitest";
import { ModelDatabase } from "./database.ts";
import { quietSurroundings } from "./network.ts";
import { clear, withStorage } from "./storage.ts";

/**
 * Gives each test of a file the model's database as `env.LEDGER`, empty at first: a statement takes 0.03 ms there, and
 * more than 1 ms in the test's own D1. For tests whose subject is not D1 itself. Only code that runs within the test
 * can use it: the database belongs to one Durable Object, in which the test then runs. So a file may not keep a store
 * of `env.LEDGER` outside its tests.
 */
export function useModelLedger(): void {
  aroundEach(async (runTest) => {
    const { LEDGER } = env;
    await withStorage(async (storage) => {
      clear(storage);
      const database = new ModelDatabase(storage, quietSurroundings(1));
      Object.assign(env, { LEDGER: database.bindingOf(null) });
      try {
        await runTest();
        expect(database.violations, "statements that the database refused").toEqual([]);
      } finally {
        Object.assign(env, { LEDGER });
      }
    });
  });
}

import { expect, test, vi } from "vitest";
import { askLedgers, LEDGER_WAIT_MS, Ledgers, type LedgersDeps } from "../../src/frontier/ledgers.ts";

/** Three ledgers, asked at once. What the API makes of their answers is in ledgers.test.ts. */

function threeLedgers(): LedgersDeps {
  const open = (ledgerNumber: number, ledgers: Ledgers<LedgersDeps>): LedgersDeps => ({ ledgers, ledgerNumber });
  const apart = () => {
    throw new Error("nothing is asked beside the others");
  };
  return new Ledgers([0, 1, 2], open, apart).at(0);
}

const never = new Promise<never>(() => undefined);

test("a ledger that does not answer is waited for as long as LEDGER_WAIT_MS, and then left out", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    let ended = false;
    const asking = askLedgers(threeLedgers(), async ({ ledgerNumber }) => (ledgerNumber === 1 ? never : ledgerNumber));
    void asking.then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(LEDGER_WAIT_MS - 1);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asking).toEqual({ answers: [0, 2], silent: [1] });
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
});

test("ledgers that answer leave no timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    expect(await askLedgers(threeLedgers(), async ({ ledgerNumber }) => ledgerNumber)).toEqual({
      answers: [0, 1, 2],
      silent: [],
    });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("if no ledger answers, it throws what the first one threw", async () => {
  const failing = askLedgers(threeLedgers(), async ({ ledgerNumber }) => {
    throw new Error(`ledger ${ledgerNumber} is broken`);
  });
  await expect(failing).rejects.toThrow("ledger 0 is broken");
});

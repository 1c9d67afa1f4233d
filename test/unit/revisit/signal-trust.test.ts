import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { addSignals } from "../../../bench/freshness/totals.ts";
import { countSignal, NO_SIGNALS, type SignalCount, trustOf } from "../../../src/revisit/signal-trust.ts";

const PRIOR = { perDay: 0.05, weight: 1 };
const PAGE = { changes: 0, days: 0 };

/** The trust after weekly visits of pages that change every 20 days, with the signals that `say` gives. */
function trustAfter(visits: number, say: (changed: boolean, random: () => number) => boolean) {
  const random = randomFrom(5);
  let total: SignalCount = NO_SIGNALS;
  for (let i = 0; i < visits; i++) {
    const changed = random() < 1 - Math.exp(-7 * PRIOR.perDay);
    total = addSignals(total, countSignal({ days: 7, changed, isSignalled: say(changed, random) }, PAGE, PRIOR));
  }
  return trustOf(total);
}

describe("signals of a host", () => {
  test("are not trusted before they proved true", () => {
    expect(trustOf(NO_SIGNALS)).toEqual({ precision: 0, recall: 0 });
  });

  test("that are honest are trusted after few visits", () => {
    const trust = trustAfter(60, (changed) => changed);
    expect(trust.precision).toBeGreaterThan(0.75);
    expect(trust.recall).toBeGreaterThan(0.6);
    expect(trustAfter(2_000, (changed) => changed).precision).toBeGreaterThan(0.98);
  });

  test.each([
    ["signal every page always", () => true],
    ["signal pages at random", (_: boolean, random: () => number) => random() < 0.3],
    ["signal only what has not changed", (changed: boolean) => !changed],
  ])("that %s are never trusted", (_, say) => {
    for (const visits of [20, 200, 5_000]) expect(trustAfter(visits, say).precision).toBeLessThan(0.05);
  });

  test("that leave out half of the changes are trusted, but their silence is not", () => {
    const trust = trustAfter(2_000, (changed, random) => changed && random() < 0.5);
    expect(trust.precision).toBeGreaterThan(0.95);
    expect(trust.recall).toBeGreaterThan(0.4);
    expect(trust.recall).toBeLessThan(0.6);
  });

  test("that turn to lies lose the trust", () => {
    let total = NO_SIGNALS;
    const count = (changed: boolean) => {
      total = addSignals(total, countSignal({ days: 7, changed, isSignalled: true }, PAGE, PRIOR));
    };
    for (let i = 0; i < 5_000; i++) count(true);
    expect(trustOf(total).precision).toBeGreaterThan(0.95);
    for (let i = 0; i < 1_500; i++) count(false);
    expect(trustOf(total).precision).toBe(0);
  });
});

test("trust is between 0 and 1, whatever is stored", () => {
  const any = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1));
  fc.assert(
    fc.property(fc.record({ signalled: any, proved: any, expected: any, changed: any }), (total) => {
      for (const share of Object.values(trustOf(total))) {
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
      }
    }),
  );
});

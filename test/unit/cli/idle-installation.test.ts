import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleInstallation } from "../../../src/cli/installation/idle-installation.ts";
import type { Installation } from "../../../src/cli/installation/installation.ts";

/** An installation that is opened when it is used, and closed when nobody uses it. */

const IDLE_MS = 5_000;
let log: string[] = [];

beforeEach(() => {
  log = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function opening(local = true, open: () => void = () => undefined) {
  return async (): Promise<Installation> => {
    log.push("open");
    open();
    const dispose = async () => void log.push("close");
    return {
      client: null as never,
      local,
      isOwn: local,
      hasBrowser: null,
      isShared: async () => false,
      logs: null,
      warnings: [],
      dispose,
    };
  };
}

const nothing = async () => undefined;

test("it is opened once for several uses, and closed after a while without any", async () => {
  const at = new IdleInstallation(opening(), IDLE_MS);
  await Promise.all([at.use(nothing), at.use(nothing)]);
  await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
  await at.use(nothing);
  await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
  expect(log).toEqual(["open"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(log).toEqual(["open", "close"]);
  await at.use(nothing);
  await at.close();
  expect(log).toEqual(["open", "close", "open", "close"]);
});

test("it stays open while a use lasts", async () => {
  const at = new IdleInstallation(opening(), IDLE_MS);
  let end: () => void = () => undefined;
  const long = at.use(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  await at.use(nothing);
  await vi.advanceTimersByTimeAsync(10 * IDLE_MS);
  expect(log).toEqual(["open"]);
  end();
  await long;
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(log).toEqual(["open", "close"]);
});

test("where it could not be opened, the next use tries again", async () => {
  let isBusy = true;
  const at = new IdleInstallation(
    opening(true, () => {
      if (isBusy) throw new Error("in use");
    }),
    IDLE_MS,
  );
  await expect(at.use(nothing)).rejects.toThrow("in use");
  isBusy = false;
  await at.use(nothing);
  await at.close();
  expect(log).toEqual(["open", "open", "close"]);
});

test.each([
  ["one that runs elsewhere is opened anew", false, ["open", "open"]],
  ["a local one stays", true, ["open"]],
])("after a use that failed, %s", async (_, local, opened) => {
  const at = new IdleInstallation(opening(local), Number.POSITIVE_INFINITY);
  const failing = async () => {
    throw new Error("no answer");
  };
  await expect(at.use(failing)).rejects.toThrow("no answer");
  await at.use(nothing);
  expect(log).toEqual(opened);
});

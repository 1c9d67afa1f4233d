import { expect, test } from "vitest";
import { Unreachable } from "../../../src/cli/errors.ts";
import { outlast } from "../../../src/cli/installation/outlast.ts";
import type { ApiAnswer } from "../../../src/cli/installation/send-request.ts";

/** Sends a request to an installation that answers so, one after the other; null: nobody answers. */
async function ask(statuses: readonly (number | null)[]): Promise<{ status: number; asked: number; said: string[] }> {
  const said: string[] = [];
  let asked = 0;
  const { status } = await outlast(
    () => {
      const status = statuses[asked++] ?? null;
      if (status === null) return Promise.reject(new Unreachable("Nobody answers"));
      return Promise.resolve({ status, cancel: () => undefined } as unknown as ApiAnswer);
    },
    { say: (line) => said.push(line), stop: new AbortController().signal, rest: () => Promise.resolve() },
  );
  return { status, asked, said };
}

test.each([
  ["at once", [200], 200, 1],
  ["what was asked for wrongly", [404], 404, 1],
  ["after gateways that found nobody", [502, 530, null, 503, 200], 200, 5],
  ["after one that failed", [500, 200], 200, 2],
  ["with the failure, if it stays", [500, 500, 500, 500, 200], 500, 4],
  ["after failures among others", [500, 503, 500, null, 200], 200, 5],
] as const)("it answers %s", async (_, statuses, status, asked) => {
  const answer = await ask(statuses);
  expect([answer.status, answer.asked]).toEqual([status, asked]);
  expect(answer.said.length).toBe(asked === 1 ? 0 : status === 500 ? 1 : 2);
});

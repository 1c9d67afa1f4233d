import { originOf } from "../../../url/host-key.ts";
import { isKept } from "../../attempt.ts";
import type { Deps } from "../../deps.ts";
import { mayAsk } from "../../lane/may-ask.ts";
import { wantsOfUnlisted } from "../../lane/request-of-work.ts";
import type { PageWork } from "../../work.ts";
import type { Feature, Opening } from "../feature.ts";
import { type MissingAnswer, rejectSoft404, toMissingAnswer } from "./missing-answer.ts";

/** Pages that look missing, as missing-answer.ts says, are compared with one that surely is. */
export const soft404: Feature = {
  async open(opening) {
    const askings = new Map<string, Promise<void>>();
    return {
      async after(work, { result }) {
        if (!isKept(result) || result.looksMissing !== true) return result;
        const missing = await findMissingAnswer(work, askings, opening);
        if (missing === "lane") return missing;
        return (missing === "unclear" ? null : rejectSoft404(work.row.url, result, missing)) ?? result;
      },
    };
  },
};

/** How the origin answers for a page that does not exist. `askings`: the questions that are under way. */
async function findMissingAnswer(
  work: PageWork,
  askings: Map<string, Promise<void>>,
  opening: Opening,
): Promise<MissingAnswer | "unclear" | "lane"> {
  const origin = originOf(work.row.url);
  const { missing } = work.context;
  if (!missing.has(origin)) {
    if (opening.document !== null || opening.deps.invocations.left === 0) return "lane";
    const asked = askings.get(origin);
    const asking = asked ?? askForMissing(work, origin, opening).finally(() => askings.delete(origin));
    askings.set(origin, asking);
    await (asked === undefined ? asking : opening.wait(asking));
  }
  return missing.get(origin) ?? "unclear";
}

/** Asks once. A page for which there is no time to ask is kept. */
async function askForMissing(work: PageWork, origin: string, { ask, deps }: Opening): Promise<void> {
  const url = await findSibling(work, deps);
  const answer = url === null ? null : await ask(url, work, wantsOfUnlisted(work));
  if (url !== null && answer === null) return;
  const missing = url === null || answer === null ? null : toMissingAnswer(url, answer.result);
  work.context.missing.set(origin, missing ?? "unclear");
}

/** Returns a URL in the same folder with a random name; null if robots.txt or scope refuses it. */
export async function findSibling(
  { row, context }: PageWork,
  deps: Pick<Deps, "gate" | "random">,
): Promise<string | null> {
  const name = `no-such-page-${Math.floor(deps.random() * 36 ** 8).toString(36)}`;
  const extension = /\.\w{2,5}$/.exec(new URL(row.url).pathname)?.[0] ?? "";
  const url = new URL(name + extension, row.url).href;
  return (await mayAsk(url, { row, context }, deps)) ? url : null;
}

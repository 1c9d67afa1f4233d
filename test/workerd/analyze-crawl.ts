import { homeOf } from "../../src/frontier/ledgers.ts";
import { type DoStep, PassRun } from "../../src/passes/pass-run.ts";
import { runPass } from "../../src/passes/run-pass.ts";
import type { World } from "./world.ts";

const plainly: DoStep = (_, work) => work();

interface Analysis {
  checkExternal?: boolean;
  reindex?: boolean;
  doStep?: DoStep;
}

/** Runs a pass over a crawl, without an instance of Workflows. Returns its id. */
export async function analyzeCrawl(
  crawl: string,
  world: World,
  { checkExternal = false, reindex = false, doStep = plainly }: Analysis = {},
): Promise<string> {
  const id = crypto.randomUUID();
  world.now += 1_000;
  const home = homeOf(world.deps, crawl);
  await home.passes.begin(crawl, id, world.now, null, { checkExternal, reindex });
  await runPass(new PassRun({ crawl, id, checkExternal, reindex }, doStep, () => home));
  return id;
}

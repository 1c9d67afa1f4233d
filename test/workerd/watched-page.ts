import { env } from "cloudflare:test";
import { readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** Watches one page that is looked at daily. `site`: what it is on a day. */
export async function watchPage(site: (day: number) => SiteAnswer, options: Parameters<WatchedWorld["watch"]>[1] = {}) {
  let begin: number | null = null;
  const world: WatchedWorld = new WatchedWorld(() =>
    site(begin === null ? 0 : Math.floor((world.now - begin) / DAY_MS)),
  );
  const id = await world.watch(DAY_MS, options);
  begin = world.now;
  const versions = async () =>
    (await env.LEDGER.prepare("SELECT count(*) AS n FROM versions WHERE crawl = ?1").bind(id).first<number>("n")) ?? 0;
  const body = async () => {
    const stored = await readStoredPage(await world.crawl(id), SEED, world.deps);
    return new TextDecoder().decode(stored?.body).split("\n");
  };
  return { world, id, versions, body, pass: (days: number) => world.pass(days * DAY_MS, 2 * HOUR_MS) };
}

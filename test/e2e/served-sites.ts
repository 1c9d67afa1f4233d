import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Site } from "../sites/site.ts";
import { type Served, scratch, serve } from "./cli.ts";

/** What the tests of a file share. All of it ends with the file. */
export interface ServedSites {
  dir: { readonly path: string };
  /** Sites that are added here are closed. */
  sites: Site[];
  /** The one server; only within tests. */
  readonly served: Served;
}

/** `open`: starts the server on a new state folder. */
export function shareServer(open: (state: string) => Promise<Served> = serve): ServedSites {
  const dir = scratch();
  const sites: Site[] = [];
  let served: Served;
  beforeAll(async () => {
    served = await open(join(dir.path, "served"));
  });
  afterAll(async () => {
    await served.close();
    await Promise.all(sites.map((site) => site.close()));
    dir.remove();
  });
  return {
    dir,
    sites,
    get served() {
      return served;
    },
  };
}

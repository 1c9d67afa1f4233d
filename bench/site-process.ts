/** Starts a generated site in another process, so that neither slows the other down. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { SiteSize } from "../test/sites/generated-site.ts";
import type { FromSite, SiteReport, ToSite } from "./site-report.ts";

export interface SiteProcess {
  origin: string;
  /** The site's log up to now, in numbers. */
  report(): Promise<SiteReport>;
  close(): Promise<void>;
}

/** Calls `onServed` whenever the number of different pages served reaches one of `marks`. */
export async function startSiteProcess(
  size: SiteSize,
  marks: number[],
  onServed: (pages: number) => void,
): Promise<SiteProcess> {
  const script = fileURLToPath(new URL("site-child.ts", import.meta.url));
  const child = fork(script, [size.pages, size.links, size.bytes, ...marks].map(String));
  const exited = once(child, "exit");

  const listening = Promise.withResolvers<string>();
  let reported = Promise.withResolvers<SiteReport>();
  child.on("message", (message: FromSite) => {
    if (message.kind === "listening") listening.resolve(message.origin);
    else if (message.kind === "served") onServed(message.pages);
    else reported.resolve(message.report);
  });
  child.once("exit", (code) => {
    const error = new Error(`the site's process ended with code ${code}`);
    listening.reject(error);
    reported.reject(error);
  });
  // Without a waiting caller, the rejection would be unhandled. A waiting caller still gets it.
  reported.promise.catch(() => undefined);

  return {
    origin: await listening.promise,
    report: () => {
      reported = Promise.withResolvers<SiteReport>();
      child.send({ kind: "report" } satisfies ToSite);
      return reported.promise;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

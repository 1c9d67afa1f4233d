import type { CrawlView } from "../../api/views.ts";
import { bytes, count, plural, short } from "../../core/shown-values.ts";
import { pagesOf } from "./terminal-text.ts";

/** Shows the progress of a crawl on standard error: a bar on a terminal, else a line every few seconds. */
export interface Progress {
  update(crawl: CrawlView, pagesPerSecond: number): void;
  /** Prints a line above the bar. */
  say(line: string): void;
  stop(): void;
}

const LINE_EVERY_MS = 5_000;

export async function showProgress(out: NodeJS.WriteStream): Promise<Progress> {
  return out.isTTY ? barProgress(out) : lineProgress(out);
}

/** For `--json`: prints only the lines of `say`. */
export function quietProgress(out: NodeJS.WriteStream): Progress {
  return { update: () => undefined, say: (line) => void out.write(`${line}\n`), stop: () => undefined };
}

async function barProgress(out: NodeJS.WriteStream): Promise<Progress> {
  // Loaded here: most commands show no progress.
  const { SingleBar } = await import("cli-progress");
  const bar = new SingleBar({
    stream: out,
    format: "{bar} {pages} · {rate} pages/s · {size} · {queue} · {host}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 24,
    hideCursor: true,
    linewrap: false,
    fps: 5,
    // The bar must not handle Ctrl-C; follow.ts does.
    gracefulExit: false,
  });
  bar.start(1, 0, { pages: "starting", rate: "0", size: "0 B", queue: "", host: "" });
  return {
    update: (crawl, rate) => {
      const others = crawl.finished - pagesOf(crawl) + crawl.assets.queued;
      bar.setTotal(Math.max(1, Math.min(crawl.total, crawl.options.limit + others)));
      bar.update(crawl.finished, {
        pages: describePages(crawl),
        rate: short(rate),
        size: bytes(crawl.bytes),
        queue: `${count(crawl.counts.queued)} queued`,
        host: hostOf(crawl),
      });
    },
    say: (line) => {
      out.write(`\r\x1b[K${line}\n`);
    },
    stop: () => bar.stop(),
  };
}

function lineProgress(out: NodeJS.WriteStream): Progress {
  let last = 0;
  return {
    update: (crawl, rate) => {
      const now = Date.now();
      if (now - last < LINE_EVERY_MS) return;
      last = now;
      const { queued } = crawl.counts;
      out.write(
        `${describePages(crawl)}, ${short(rate)} pages/s, ${bytes(crawl.bytes)}, ${count(queued)} queued, ${hostOf(crawl)}\n`,
      );
    },
    say: (line) => void out.write(`${line}\n`),
    stop: () => undefined,
  };
}

function describePages(crawl: CrawlView): string {
  const pages = plural(pagesOf(crawl), "page");
  return crawl.relevant === null ? pages : `${pages} (${count(crawl.relevant)} relevant)`;
}

function hostOf(crawl: CrawlView): string {
  const url = crawl.lastUrl ?? crawl.urls[0];
  return url === undefined ? "" : new URL(url).host;
}

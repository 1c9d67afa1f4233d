/**
 * The program that stands for Scrapy: `node scrapy-crawl.ts URL,... DIR [DELAY [REQUESTS]]`. Prints
 * `{completed, seconds}`.
 *
 * It is Debian's (`apt install python3-scrapy`), run by /usr/bin/python3 with the spider in scrapy_spider.py. It has a
 * JOBDIR, so that its queue is on disk as ours is, 8 requests at once to a host, and no delay. With a DELAY in seconds
 * it has one request at once to a host.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const [url, dir, ...polite] = process.argv.slice(2);
if (url === undefined || dir === undefined) throw new Error("usage: node scrapy-crawl.ts URL DIR");

const spider = fileURLToPath(new URL("scrapy_spider.py", import.meta.url));
const child = spawn("/usr/bin/python3", [spider, url, dir, ...polite], { stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise<number | null>((resolve, reject) => {
  child.once("error", reject);
  child.once("exit", resolve);
});
const output = await text(child.stdout);
if ((await ended) !== 0) throw new Error("scrapy failed; is python3-scrapy installed?");
process.stdout.write(output);

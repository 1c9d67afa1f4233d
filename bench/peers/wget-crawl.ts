/** The program that stands for wget: `node wget-crawl.ts URL DIR`. Prints `{completed, seconds}`. */
import { spawn } from "node:child_process";
import { countFiles } from "../count-files.ts";

const [url, dir] = process.argv.slice(2);
if (url === undefined || dir === undefined) throw new Error("usage: node wget-crawl.ts URL DIR");

const startedAt = performance.now();
const args = [
  "--recursive",
  "--level=inf",
  "--no-verbose",
  "--output-file=/dev/null",
  `--directory-prefix=${dir}`,
  url,
];
const child = spawn("wget", args, { stdio: "ignore" });
const code = await new Promise<number | null>((resolve, reject) => {
  child.once("error", reject);
  child.once("exit", resolve);
});
if (code !== 0) throw new Error(`wget ended with ${code}`);
const seconds = (performance.now() - startedAt) / 1000;
process.stdout.write(`${JSON.stringify({ completed: await countFiles(dir, ".html"), seconds })}\n`);

/**
 * `npm run bench:reading`: the time of API requests about a crawl of 100,000 URLs (`--rows N`), for the first request
 * and for repeated ones. The bench writes the rows to the local D1's file while nothing runs, because a crawl would
 * take minutes.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { type Served, scratch, serve } from "../test/e2e/cli.ts";
import { median } from "./median.ts";

const { values } = parseArgs({ options: { rows: { type: "string", default: "100000" } } });
const ROWS = Number(values.rows);
const RUNS = 5;
const FOLDERS = ["guide", "reference", "tutorial", "release", "archive", "blog", "api", "images", "forum", "people"];
const HOSTS = ["https://www.example.com", "https://docs.example.com", "http://old.example.org"];
const QUESTIONS = [
  "report",
  "tree",
  `tree?path=${HOSTS[0]}/`,
  `tree?path=${HOSTS[0]}/guide/`,
  "records",
  "records?limit=1000",
  "records?sort=bytes&order=desc",
  "records?q=page-99",
  "records?code=404",
  `record?url=${HOSTS[0]}/guide/topic-0/page-0.html`,
];

const dir = scratch();
try {
  let served = await serve(dir.path);
  const body = JSON.stringify({ url: "http://127.0.0.1:9/", maxAttempts: 1, limit: 1 });
  const { result } = await (await ask(served, "", { method: "POST", body })).json();
  await served.close();
  writeRows(result.id);
  served = await serve(dir.path);
  console.log(
    `${ROWS.toLocaleString("en")} URLs\n\n| asked for | first, ms | again, ms | bytes |\n| --- | --- | --- | --- |`,
  );
  for (const question of QUESTIONS) {
    const times: number[] = [];
    let size = 0;
    for (let run = 0; run <= RUNS; run++) {
      const startedAt = performance.now();
      size = (await (await ask(served, `/${result.id}/${question}`)).arrayBuffer()).byteLength;
      times.push(performance.now() - startedAt);
    }
    const [first = 0, ...again] = times;
    console.log(
      `| \`${question}\` | ${first.toFixed(0)} | ${median(again).toFixed(0)} | ${size.toLocaleString("en")} |`,
    );
  }
  await served.close();
} finally {
  dir.remove();
}

async function ask({ address, token }: Served, path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(`${address}/api/crawls${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer;
}

/** Writes the rows: of a hundred, five are errored, five disallowed, seven skipped, and the others completed. */
function writeRows(crawl: string): void {
  const folder = join(dir.path, "v3", "d1", "miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? "";
  const db = new DatabaseSync(join(folder, file));
  db.exec("BEGIN; DELETE FROM urls");
  const insert = db.prepare(
    `INSERT INTO urls (crawl, url, status, reason, depth, via, priority, seq, http_status, title, content_type, bytes, sha256, fetched_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let i = 0; i < ROWS; i++) {
    const host = HOSTS[[0, 0, 0, 0, 1, 1, 2][i % 7] ?? 0] ?? "";
    const url = `${host}/${FOLDERS[(i * i) % 10]}/topic-${i % 90}/page-${i}.html`;
    const kind = (i * 7919) % 100;
    const [status, reason, code] =
      kind < 5
        ? ["errored", "http-status", [404, 500, 403][i % 3] ?? 0]
        : kind < 10
          ? ["disallowed", "robots", null]
          : kind < 17
            ? ["skipped", "redirected", 301]
            : ["completed", null, 200];
    const kept = status === "completed";
    insert.run(
      ...[crawl, url, status, reason, i % 9, `${host}/`, i, code],
      kept ? `A title of some length, number ${i}` : null,
      kept ? "text/html; charset=utf-8" : null,
      kept ? (i * 7919) % 190_000 : null,
      kept ? String(i).padStart(64, "0") : null,
      i * 100,
    );
  }
  db.prepare(
    "UPDATE crawls SET status = 'completed', started_at = 0, updated_at = ?2, finished_at = ?2 WHERE id = ?1",
  ).run(crawl, ROWS * 100);
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

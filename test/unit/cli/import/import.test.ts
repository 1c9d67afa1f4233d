import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { afterAll, describe, expect, test } from "vitest";
import { readForeignResponse } from "../../../../src/archive/foreign-response.ts";
import { splitRecords } from "../../../../src/archive/split-records.ts";
import { UserError } from "../../../../src/cli/errors.ts";
import { openSource } from "../../../../src/cli/import/import-parts.ts";
import { planImport } from "../../../../src/cli/import/plan-import.ts";
import { type SendPortion, sendImport } from "../../../../src/cli/import/send-import.ts";

/** Which answers of an archive are sent, and what is left out: files as other tools write them, whole and damaged. */

const dir = mkdtempSync(join(tmpdir(), "orbweaver-import-"));
afterAll(() => rmSync(dir, { recursive: true }));
const never = new AbortController().signal;

interface Made {
  type?: string;
  url?: string;
  date?: string;
  http?: string;
  fields?: Record<string, string>;
}

const ok = (body: string, headers = "Content-Type: text/html\r\n") => `HTTP/1.1 200 OK\r\n${headers}\r\n${body}`;
const made = ({
  type = "response",
  url = "http://a.test/",
  date = "2020-01-01T00:00:00Z",
  http = ok("x"),
  fields = {},
}: Made) => {
  const all = { "WARC-Type": type, "WARC-Target-URI": url, "WARC-Date": date, ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `WARC/1.0\r\n${lines.join("")}Content-Length: ${Buffer.byteLength(http)}\r\n\r\n${http}\r\n\r\n`;
};
const packed = (...records: Made[]) => Buffer.concat(records.map((record) => gzipSync(made(record))));

let files = 0;
function file(content: string | Uint8Array, name = `f${files++}.warc`): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

/** What is sent, as `URL date body`, and what is left out, as `reason count`. */
async function importOf(paths: string[], send?: SendPortion) {
  const { parts, seeds } = await openSource(paths);
  const plan = await planImport(parts, seeds, () => undefined, never);
  const sent: string[] = [];
  const keep: SendPortion = async (records) => {
    for await (const record of splitRecords([records], () => 1e9)) {
      if ("malformed" in record) throw new Error(record.malformed);
      const { fields, block } = record;
      if (fields.get("warc-type") === "metadata")
        sent.push(`  ${Buffer.from(block).toString().trim().replace("\r\n", ", ")}`);
      else {
        const { status, payload, headers } = readForeignResponse(block) ?? {
          payload: Buffer.from("none"),
          headers: [],
        };
        const cut = fields.has("warc-truncated") ? ` cut: ${fields.get("warc-truncated")}` : "";
        const length = payload.length === 0 ? ` of ${headers.find(([name]) => name === "Content-Length")?.[1]}` : "";
        sent.push(
          `${fields.get("warc-target-uri")} ${fields.get("warc-date")?.slice(0, 10)} ${status} ${Buffer.from(payload).toString("latin1", 0, 40)}${length}${cut}`,
        );
      }
    }
    return 0;
  };
  const refused = await sendImport(parts, plan.picks, send ?? keep, () => undefined, never);
  const leftOut = plan.leftOut.map(({ reason, count }) => `${reason} ${count}`).sort();
  return { sent, leftOut, seeds: plan.seeds, archive: plan.archive, answers: plan.picks.length, refused };
}

const of = async (...records: Made[]) => importOf([file(records.map(made).join(""))]);

describe("of the answers of one URL", () => {
  const [early, late] = ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"];
  const gone = "HTTP/1.1 404 Not Found\r\n\r\ngone";
  test.each<[name: string, records: Made[], counts: string]>([
    [
      "the newest counts",
      [
        { date: late, http: ok("new") },
        { date: early, http: ok("old") },
      ],
      "2021-01-01 200 new",
    ],
    ["a newer 404 counts", [{ date: early }, { date: late, http: gone }], "2021-01-01 404 gone"],
    [
      "a server in trouble does not",
      [{ date: early }, { date: late, http: "HTTP/1.1 503 Busy\r\n\r\nbusy" }],
      "2020-01-01 200 x",
    ],
    [
      "nor a part of a file",
      [{ date: early }, { date: late, http: "HTTP/1.1 206 Partial\r\n\r\npart" }],
      "2020-01-01 200 x",
    ],
    [
      "nor one that is known to break off",
      [{ date: early }, { date: late, fields: { "WARC-Truncated": "time" } }],
      "2020-01-01 200 x",
    ],
    [
      "nor a redirect to itself",
      [{ date: early }, { date: late, http: "HTTP/1.1 302 Found\r\nLocation: /?utm_source=x\r\n\r\n" }],
      "2020-01-01 200 x",
    ],
    ["but trouble is better than nothing", [{ http: "HTTP/1.1 503 Busy\r\n\r\nbusy" }], "2020-01-01 503 busy"],
    [
      "a page of the same second goes before its redirect",
      [{ http: ok("page") }, { http: "HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\nmoved" }],
      "2020-01-01 200 page",
    ],
    [
      "spellings of a URL are one",
      [{ url: "HTTP://A.test:80/#top", date: late, http: ok("new") }, { url: "<http://a.test/?utm_source=x>" }],
      "2021-01-01 200 new",
    ],
  ])("%s", async (_, records, counts) => {
    const { sent, leftOut } = await of(...records);
    expect(sent).toEqual([`http://a.test/ ${counts}`]);
    expect(leftOut).toEqual(records.length > 1 ? [`older-capture ${records.length - 1}`] : []);
  });
});

test("what is no answer to GET is left out by its reason", async () => {
  const { sent, leftOut } = await of(
    { type: "warcinfo", url: "", http: "software: x" },
    { url: "dns:a.test", http: "20200101000000\r\na.test 60 IN A 192.0.2.1" },
    { url: "http://a.test/ok", fields: { "WARC-Record-ID": "<urn:1>" } },
    {
      type: "request",
      url: "http://a.test/ok",
      http: "GET /ok HTTP/1.1\r\n\r\n",
      fields: { "WARC-Concurrent-To": "<urn:1>" },
    },
    // As Browsertrix has it: the request names the response, and comes after it.
    { url: "http://a.test/api", fields: { "WARC-Record-ID": "<urn:2>" } },
    {
      type: "request",
      url: "http://a.test/api",
      http: "POST /api HTTP/1.1\r\n\r\n",
      fields: { "WARC-Concurrent-To": "<urn:2>" },
    },
    // As wget has it: the response names the request, and comes after it.
    {
      type: "request",
      url: "http://a.test/head",
      http: "HEAD /head HTTP/1.1\r\n\r\n",
      fields: { "WARC-Record-ID": "<urn:3>" },
    },
    { url: "http://a.test/head", fields: { "WARC-Concurrent-To": "<urn:3>" } },
    { url: "http://a.test/api?__wb_method=POST&q=1" },
    { type: "resource", url: "urn:pageinfo:http://a.test/", http: "{}" },
    { type: "conversion", url: "http://a.test/ok", http: "text" },
    { url: "http://", http: ok("x") },
    { url: `http://a.test/${"x".repeat(2_100)}` },
    { url: "http://a.test/undated", date: "yesterday" },
    { url: "http://a.test/none", http: "no HTTP at all" },
  );
  expect(sent).toEqual(["http://a.test/ok 2020-01-01 200 x"]);
  expect(leftOut).toEqual(["invalid-url 1", "malformed 1", "not-get 3", "not-http 2", "other-record 6", "too-long 1"]);
});

test("a revisit has the body of its original, wherever that is", async () => {
  const gz = gzipSync("original").toString("latin1");
  const original = Buffer.concat([
    Buffer.from(
      `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/1\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Payload-Digest: sha1:AAA\r\nWARC-Record-ID: <urn:o>\r\nContent-Length: ${54 + gz.length}\r\n\r\nHTTP/1.1 200 OK\r\nA: original\r\nContent-Encoding: gzip\r\n\r\n`,
    ),
    Buffer.from(`${gz}\r\n\r\n`, "latin1"),
  ]);
  const fixed = Buffer.from(
    original
      .toString("latin1")
      .replace(/Content-Length: \d+/, `Content-Length: ${original.length - original.indexOf("HTTP/1.1") - 4}`),
    "latin1",
  );
  const revisits: Made[] = [
    {
      type: "revisit",
      url: "http://a.test/2",
      date: "2020-02-02T00:00:00Z",
      http: "HTTP/1.1 200 OK\r\nB: own\r\n\r\n",
      fields: { "WARC-Payload-Digest": "sha1:AAA" },
    },
    {
      type: "revisit",
      url: "http://a.test/1",
      date: "2020-03-03T00:00:00Z",
      http: "HTTP/1.1 304 Not Modified\r\n\r\n",
      fields: { "WARC-Refers-To-Target-URI": "http://a.test/1", "WARC-Refers-To-Date": "2020-01-01T00:00:00.000Z" },
    },
    {
      type: "revisit",
      url: "http://a.test/3",
      date: "2020-04-04T00:00:00Z",
      http: "",
      fields: { "WARC-Refers-To": "<urn:o>" },
    },
    { type: "revisit", url: "http://a.test/4", http: "", fields: { "WARC-Payload-Digest": "sha1:BBB" } },
  ];
  const { sent, leftOut } = await importOf([file(revisits.map(made).join("")), file(fixed)]);
  expect(sent.map((line) => line.slice(0, 30))).toEqual([
    ...["http://a.test/2 2020-02-02 200", "http://a.test/1 2020-03-03 200", "http://a.test/3 2020-04-04 200"],
  ]);
  expect(leftOut).toEqual(["older-capture 1", "revisit 1"]);
});

describe("a file", () => {
  const three = ["a", "b", "c"].map((name) => ({ url: `http://a.test/${name}`, http: ok(name.repeat(5_000)) }));
  const urls = ({ sent }: { sent: string[] }) =>
    sent.map((line) => line.split(" ")[0]?.slice(-1) + (line.includes("cut") ? " cut" : ""));
  const noise = Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * 7919) % 251));

  test.each<[name: string, bytes: () => Uint8Array, found: string[], leftOut: string[]]>([
    ["of members", () => packed(...three), ["a", "b", "c"], []],
    ["of one member", () => gzipSync(three.map(made).join("")), ["a", "b", "c"], []],
    ["without compression", () => Buffer.from(three.map(made).join("")), ["a", "b", "c"], []],
    ["that breaks off", () => packed(...three).subarray(0, -20), ["a", "b", "c cut"], []],
    [
      "with noise between members",
      () => Buffer.concat([packed(three[0] as Made), noise, packed(three[1] as Made, three[2] as Made)]),
      ["a", "b", "c"],
      [],
    ],
    ["with zeros at its end", () => Buffer.concat([packed(...three), Buffer.alloc(1_000)]), ["a", "b", "c"], []],
  ])("%s", async (_, bytes, found, leftOut) => {
    const result = await importOf([file(bytes())]);
    expect([urls(result), result.leftOut]).toEqual([found, leftOut]);
  });

  test("with a damaged member loses that one", async () => {
    const members = three.map((record) => packed(record));
    const random = Buffer.from(Array.from({ length: 40 }, (_, i) => (i * 89) % 256));
    const [a, b, c] = members as [Buffer, Buffer, Buffer];
    random.copy(b, 20);
    const result = await importOf([file(Buffer.concat([a, b, c, ...members.slice(2)]))]);
    expect(urls(result).filter((one) => one !== "b cut")).toEqual(["a", "c"]);
  });

  test.each([0, 6] as const)("in a WACZ at level %i, with its seeds", async (level) => {
    const pages =
      '{"format": "json-pages-1.0"}\n{"url": "http://a.test/a"}\nno JSON\n{"url": "http://a.test/c", "seed": true}\n';
    const wacz = zipSync(
      {
        "archive/1.warc.gz": packed(three[0] as Made),
        "archive/2.warc.gz": packed(three[1] as Made, three[2] as Made),
        "pages/pages.jsonl": Buffer.from(pages),
        "indexes/index.cdx.gz": gzipSync("x"),
      },
      { level },
    );
    const result = await importOf([file(wacz, `level${level}.wacz`)]);
    expect([urls(result), result.seeds]).toEqual([["a", "b", "c"], ["http://a.test/c"]]);
  });

  test("is the same archive in any order, and another with another record", async () => {
    const [one, two] = [file(packed(three[0] as Made)), file(packed(three[1] as Made))];
    const { archive } = await importOf([one, two]);
    expect((await importOf([two, one])).archive).toBe(archive);
    expect((await importOf([one])).archive).not.toBe(archive);
  });

  test.each<[name: string, path: () => string, says: string]>([
    ["that is missing", () => join(dir, "none.warc"), "there is no such file"],
    ["that is empty", () => file(""), "is empty"],
    ["that is a folder", () => dir, "is a folder"],
    ["that is none", () => file("<html>"), "neither WARC, WACZ nor a list"],
    ["of zstd", () => file(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd)), "zstd -d"],
    [
      "of ZIP that breaks off",
      () => file(zipSync({ "archive/1.warc": Buffer.from("x") }).subarray(0, 40)),
      "no whole ZIP file",
    ],
    ["of ZIP without WARC", () => file(zipSync({ "a.txt": Buffer.from("x") })), "no WARC file"],
  ])("%s is refused", async (_, path, says) => {
    await expect(openSource([path()])).rejects.toThrow(says);
  });
});

describe("answers", () => {
  test("say how they were found, and too large ones come without their bodies", async () => {
    const large = ok("x".repeat(27 * 1024 * 1024));
    const { sent } = await of(
      { fields: { "WARC-Record-ID": "<urn:1>" } },
      {
        type: "metadata",
        http: "via: http://a.test/from\r\nhopsFromSeed: LE\r\nother: x\r\n",
        fields: { "WARC-Concurrent-To": "<urn:1>" },
      },
      { url: "http://a.test/large", http: large },
    );
    expect(sent).toEqual([
      ...["http://a.test/ 2020-01-01 200 x", "  via: http://a.test/from, hopsFromSeed: LE"],
      `http://a.test/large 2020-01-01 200  of ${27 * 1024 * 1024} cut: length`,
    ]);
  });

  test("that the API does not take cost no others, and what fails otherwise ends the import", async () => {
    const path = file(Array.from({ length: 60 }, (_, i) => made({ url: `http://a.test/${i}` })).join(""));
    const taken: number[] = [];
    const { refused } = await importOf([path], async (records) => {
      const count = Buffer.from(records).toString().split("WARC-Type: response").length - 1;
      if (Buffer.from(records).includes("a.test/30\r")) throw new UserError("bad", 2);
      taken.push(count);
      return count;
    });
    expect(refused).toEqual([{ url: "http://a.test/30", why: "bad" }]);
    expect(taken.reduce((a, b) => a + b)).toBe(59);
    const failing = importOf([path], async () => {
      throw new UserError("down");
    });
    await expect(failing).rejects.toThrow("down");
  });
});

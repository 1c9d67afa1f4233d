import { expect, test } from "vitest";
import { DOCUMENT_KINDS } from "../../../src/media/kind/document-kinds.ts";
import { IN_FLIGHT_MS } from "../../../src/store/installation/deletions.ts";
import "../silence-log.ts";
import { endsOf, expectDocumentsRead, expectMirrored, expectPolite } from "./checks.ts";
import { finish } from "./deeds.ts";
import type { DocumentServed } from "./document-served.ts";
import { Platform, type PlatformOptions } from "./platform.ts";
import { clear, withStorage } from "./storage.ts";

/** The model's documents: bodies in pieces, the real page fetcher and put, the budget of bytes, and the reader. */

const HOME = "https://a.test/";
const DOCUMENT: DocumentServed = {
  ...{ bytes: 10_000, pieces: 4, pieceMs: 100, hasLength: true, end: "whole", links: [] },
  reading: { ms: 100, deaths: 0, failures: 0 },
};

/** Crawls a page that links to these documents. Each names how it is served, by the number of earlier requests. */
async function crawl(
  served: Record<string, (attempt: number) => DocumentServed>,
  options: Partial<PlatformOptions> = {},
) {
  const found: { ends: string[]; requests: { url: string; ms: number }[] } = { ends: [], requests: [] };
  await withStorage(async (storage) => {
    clear(storage);
    const urls = Object.keys(served).map((name) => HOME + name);
    const platform = new Platform(storage, {
      ...{ seed: 1, consumers: 1 },
      web: (url, attempt) => {
        const document = served[url.slice(HOME.length)]?.(attempt);
        if (document !== undefined) return { kind: "document", ...document };
        return url === HOME ? { kind: "page", links: urls } : { kind: "status", status: 404 };
      },
      ...options,
    });
    await platform.run(async () => {
      const id = await platform.start([HOME], {
        documents: [...DOCUMENT_KINDS],
        maxDocumentBytes: 600_000,
        timeoutMs: 5_000,
      });
      const state = await finish(platform, id, null);
      found.ends = (await endsOf(platform, id)).map((end) => end.slice(HOME.length));
      if (state !== null) await expectMirrored(state, await endsOf(platform, id), platform.reader);
    });
    expectPolite(platform, { delayMs: 1_000 });
    expectDocumentsRead(platform);
    const own = platform.web.requests.filter(({ url }) => urls.includes(url));
    found.requests = own.map(({ url, startedAt, endedAt }) => ({
      url: url.slice(HOME.length),
      ms: endedAt - startedAt,
    }));
  });
  return found;
}

test.each([true, false])("a body comes in pieces, in virtual time, with its length declared: %s", async (hasLength) => {
  const { ends, requests } = await crawl({ "a.pdf": () => ({ ...DOCUMENT, hasLength }) });
  expect(ends).toEqual([" completed null", "a.pdf completed null"]);
  expect(requests).toEqual([{ url: "a.pdf", ms: 10 + 4 * 100 }]);
});

const once =
  (first: Partial<DocumentServed>) =>
  (attempt: number): DocumentServed => ({ ...DOCUMENT, ...(attempt === 0 ? first : {}) });

test.each([true, false])(
  "a transfer that breaks ends there, and is asked again (length declared: %s)",
  async (hasLength) => {
    const { ends, requests } = await crawl({ "a.pdf": once({ end: "breaks", hasLength }) });
    expect(ends.at(-1)).toBe("a.pdf completed null");
    // Half of the pieces, and the time of one that does not come.
    expect(requests.map(({ ms }) => ms)).toEqual([10 + 3 * 100, 10 + 4 * 100]);
  },
);

test.each([true, false])("a transfer that hangs lasts until the timeout (length declared: %s)", async (hasLength) => {
  const { ends, requests } = await crawl({ "a.pdf": once({ end: "hangs", hasLength }) });
  expect(ends.at(-1)).toBe("a.pdf completed null");
  expect(requests.map(({ ms }) => ms)).toEqual([5_000, 10 + 4 * 100]);
});

test("the bytes of a long piece pass through the streams of the runtime before time goes on", async () => {
  const { requests } = await crawl({ "a.pdf": () => ({ ...DOCUMENT, bytes: 550_000, pieces: 2, pieceMs: 1_000 }) });
  expect(requests).toEqual([{ url: "a.pdf", ms: 10 + 2 * 1_000 }]);
});

test("a document that is too large is refused: at once by its length, or where it becomes too long", async () => {
  const large = { ...DOCUMENT, bytes: 700_000, pieces: 7 };
  const { ends, requests } = await crawl({
    "a.pdf": () => large,
    "b.pdf": () => ({ ...large, hasLength: false }),
  });
  expect(ends.slice(1)).toEqual(["a.pdf skipped too-large", "b.pdf skipped too-large"]);
  expect(requests[0]?.ms).toBe(10);
  expect(requests[1]?.ms).toBe(10 + 7 * 100);
});

test("a document of unknown length waits for its share of the budget, which others hold", async () => {
  // More than what needs no share.
  const slow = { ...DOCUMENT, hasLength: false, bytes: 580_000, pieces: 40, pieceMs: 100 };
  const names = ["a.pdf", "b.pdf", "c.pdf"];
  const served = Object.fromEntries(names.map((name) => [name, () => slow]));
  const alone = await crawl(served);
  const web = (url: string) => {
    const { pathname, host } = new URL(url);
    const links = names.map((name, i) => `https://${"abc"[i]}.test/${name}`);
    if (pathname.endsWith(".pdf")) return { kind: "document" as const, ...slow };
    return host === "a.test" && pathname === "/"
      ? { kind: "page" as const, links }
      : { kind: "status" as const, status: 404 };
  };
  expect(alone.requests.map(({ ms }) => ms)).toEqual([4_010, 4_010, 4_010]);
  await withStorage(async (storage) => {
    clear(storage);
    const platform = new Platform(storage, { seed: 1, consumers: 1, budgetBytes: 600_000, web });
    await platform.run(async () => {
      const options = { documents: [...DOCUMENT_KINDS], maxDocumentBytes: 600_000, includeExternalLinks: true };
      await finish(platform, await platform.start([HOME], options), null);
    });
    const requests = platform.web.requests.filter(({ kind }) => kind === "document");
    expect(requests.length).toBe(3);
    // Their hosts differ, so all three begin at about the same time. The last one has waited for two.
    const last = Math.max(...requests.map(({ startedAt, endedAt }) => endedAt - startedAt));
    expect(last).toBeGreaterThan(4_200);
  });
});

test.each([
  ["is slow", { ms: 90_000, deaths: 0, failures: 0 }, "completed null"],
  ["dies once", { ms: 100, deaths: 1, failures: 0 }, "completed null"],
  ["dies twice", { ms: 100, deaths: 2, failures: 0 }, "errored poison"],
  ["fails twice", { ms: 100, deaths: 0, failures: 2 }, "completed null"],
] as const)("the reader %s", async (_, reading, end) => {
  const { ends, requests } = await crawl({ "a.pdf": () => ({ ...DOCUMENT, reading }) });
  expect(ends.at(-1)).toBe(`a.pdf ${end}`);
  expect(requests.length).toBe(1);
});

test("a put that ends after its lane, when another attempt has settled, leaves nothing", async () => {
  await withStorage(async (storage) => {
    clear(storage);
    const url = `${HOME}a.pdf`;
    const platform = new Platform(storage, {
      ...{ seed: 1, consumers: 3 },
      web: (asked) => {
        if (asked === url) return { kind: "document", ...DOCUMENT };
        return asked === HOME ? { kind: "page", links: [url] } : { kind: "status", status: 404 };
      },
    });
    const { bucket, time } = platform;
    const bindingOf = bucket.bindingOf.bind(bucket);
    const puts: number[] = [];
    bucket.bindingOf = (invocation) => {
      const binding = bindingOf(invocation);
      const put = async (key: string, value: Uint8Array | ReadableStream) => {
        if (!key.includes("/packs/documents/")) return binding.put(key, value);
        puts.push(time.now());
        // The first one is longer under way than a lane lasts.
        const body = new Response(value as BodyInit).arrayBuffer();
        if (puts.length === 1) await time.sleep(300_000);
        const object = await binding.put(key, new Uint8Array(await body));
        if (puts.length > 1) puts.push(time.now());
        return object;
      };
      return { ...binding, put } as unknown as R2Bucket;
    };
    await platform.run(async () => {
      const id = await platform.start([HOME], { documents: [...DOCUMENT_KINDS], timeoutMs: 5_000 });
      await finish(platform, id, null);
      expect((await endsOf(platform, id)).at(-1)).toBe(`${url} completed null`);
      await time.sleep(2 * IN_FLIGHT_MS);
    });
    expect(puts.length).toBe(4);
    expect(platform.errors).toEqual([]);
    expectDocumentsRead(platform);
  });
});

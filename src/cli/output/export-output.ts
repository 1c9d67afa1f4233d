import { createWriteStream } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { pipeline } from "node:stream/promises";
import { UserError } from "../errors.ts";
import { type Output, pour } from "./pour.ts";

/** The destinations of an export: standard output, or files that are renamed when complete. */

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Writes the parts at the speed of their reader, and returns the names of the files. Throws errors of the disk, of the
 * reader and of the parts, after removing all partial files.
 */
export type ExportOutput = (parts: AsyncIterable<Bytes>, signal: AbortSignal) => Promise<string[]>;

/** The standard output. */
export function toStream(out: Output): ExportOutput {
  return async (parts, signal) => {
    await pour(concatenate(parts), out, signal);
    return [];
  };
}

/** One file with all parts. */
export function toFile(path: string): ExportOutput {
  const partial = partialName(path);
  return (parts, signal) =>
    withCleanup([partial], async () => {
      await writeTo(partial, concatenate(parts), signal);
      await rename(partial, path);
      return [path];
    });
}

/**
 * A single part becomes the file `path`. Several parts become numbered files, and `path` their index. An index contains
 * absolute URLs (https://www.sitemaps.org/protocol.html#index): `base` is the URL of the folder that will contain the
 * files.
 */
export function toSitemaps(path: string, base: string): ExportOutput {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  const partials = [partialName(path)];
  return (parts, signal) =>
    withCleanup(partials, async () => {
      const names: string[] = [];
      for await (const part of parts) {
        const name = `${stem}-${names.length + 1}${extension}`;
        names.push(name);
        partials.push(partialName(name));
        await writeTo(partialName(name), part, signal);
      }
      const [first, ...others] = names;
      if (first !== undefined && others.length === 0) {
        await rename(partialName(first), path);
        return [path];
      }
      for (const name of names) await rename(partialName(name), name);
      await writeFile(partialName(path), indexOf(names.map((name) => urlOf(name, base))));
      await rename(partialName(path), path);
      return [path, ...names];
    });
}

function partialName(path: string): string {
  return `${path}.part`;
}

/** Removes the partial files if the work on them fails. */
async function withCleanup<T>(partials: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    for (const partial of partials) await rm(partial, { force: true });
    throw error;
  }
}

async function* concatenate(parts: AsyncIterable<Bytes>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield* part;
}

async function writeTo(path: string, bytes: Bytes, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(bytes, createWriteStream(path), { signal });
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw new UserError(`${path} cannot be written (${error.code}). Choose another file with --out FILE.`);
  }
}

function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && (error.syscall === "open" || error.syscall === "write");
}

function urlOf(path: string, base: string): string {
  return new URL(encodeURIComponent(basename(path)), base).href;
}

function indexOf(urls: string[]): string {
  const sitemaps = urls.map(
    (url) => `<sitemap><loc>${url.replaceAll("&", "&amp;").replaceAll("'", "&apos;")}</loc></sitemap>\n`,
  );
  const head =
    '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
  return `${head}${sitemaps.join("")}</sitemapindex>\n`;
}

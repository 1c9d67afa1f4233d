import { createWriteStream } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { pipeline } from "node:stream/promises";
import { UserError } from "./errors.ts";
import { type Output, pour } from "./pour.ts";

/** Where an export goes: the standard output, or a file that has its name only when it is whole. */

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Writes the parts as fast as they are taken, and returns the files, for people. Throws what the disk, the reader or the parts themselves
 * say; then nothing is left of what was written to files.
 */
export type ExportOutput = (parts: AsyncIterable<Bytes>, signal: AbortSignal) => Promise<string[]>;

/** The standard output. */
export function toStream(out: Output): ExportOutput {
  return async (parts, signal) => {
    await pour(joined(parts), out, signal);
    return [];
  };
}

/** One file for all parts. */
export function toFile(path: string): ExportOutput {
  const partial = partialOf(path);
  return (parts, signal) =>
    orNothing([partial], async () => {
      await writeTo(partial, joined(parts), signal);
      await rename(partial, path);
      return [path];
    });
}

/**
 * One file if there is but one part, else a numbered file for each and an index of them under the name asked for. An index names its
 * sitemaps by their whole URLs (https://www.sitemaps.org/protocol.html#index): `base` is where they are going to be.
 */
export function toSitemaps(path: string, base: string): ExportOutput {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  const partials = [partialOf(path)];
  return (parts, signal) =>
    orNothing(partials, async () => {
      const names: string[] = [];
      for await (const part of parts) {
        const name = `${stem}-${names.length + 1}${extension}`;
        names.push(name);
        partials.push(partialOf(name));
        await writeTo(partialOf(name), part, signal);
      }
      const [first, ...others] = names;
      if (first !== undefined && others.length === 0) {
        await rename(partialOf(first), path);
        return [path];
      }
      for (const name of names) await rename(partialOf(name), name);
      await writeFile(partialOf(path), indexOf(names.map((name) => urlOf(name, base))));
      await rename(partialOf(path), path);
      return [path, ...names];
    });
}

function partialOf(path: string): string {
  return `${path}.part`;
}

/** Removes the partial files where the work on them is not done. */
async function orNothing<T>(partials: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    for (const partial of partials) await rm(partial, { force: true });
    throw error;
  }
}

async function* joined(parts: AsyncIterable<Bytes>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield* part;
}

async function writeTo(path: string, bytes: Bytes, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(bytes, createWriteStream(path), { signal });
  } catch (error) {
    if (!isOfDisk(error)) throw error;
    throw new UserError(`${path} cannot be written (${error.code}). Name another with --out FILE.`);
  }
}

function isOfDisk(error: unknown): error is NodeJS.ErrnoException {
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

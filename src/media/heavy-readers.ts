import type { Reader } from "./document.ts";
import type { DocumentKind } from "./kind/document-kinds.ts";
import type { Kind } from "./kind/kinds.ts";

/**
 * The readers of heavy documents. Only the reader Worker may import this file: they outweigh all of the main Worker.
 */

const LOADERS: Partial<Record<DocumentKind, () => Promise<Reader>>> = {
  pdf: async () => (await import("./pdf/read-pdf.ts")).readPdf,
  office: async () => (await import("./office/read-office.ts")).readOffice,
  epub: async () => (await import("./epub/read-epub.ts")).readEpub,
};

/** Loads the reader of any kind. A kind that has none costs its documents alone. */
export async function loadAnyReader(kind: Kind): Promise<Reader> {
  if (!kind.isHeavy || kind.document === undefined) return kind.loadReader();
  const load = LOADERS[kind.document];
  if (load !== undefined) return load();
  return () => {
    throw new Error(`there is no reader for ${kind.document} documents`);
  };
}

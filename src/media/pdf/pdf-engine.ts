// unpdf: pdf.js in one file that starts without a DOM. pdfjs-dist needs a worker script and weighs twice as much.
import { getDocument, InvalidPDFException, PasswordException, VerbosityLevel } from "unpdf/pdfjs";
import { DocumentProblem } from "../document-problem.ts";
import { boundEngine, ReadingBudget, withBudget } from "./bounded-engine.ts";
import { BuiltinCmaps } from "./builtin-cmaps.ts";

/** Opens PDF files with pdf.js: no script of a document runs, nothing is fetched, and no image is decoded. */

export type PdfDocument = Awaited<ReturnType<typeof getDocument>["promise"]>;
export type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>;

/**
 * Opens a document, and closes it after `work`. Throws DocumentProblem for what cannot be read. An empty password opens
 * what only its owner's password protects.
 */
export async function withPdf<Result>(
  bytes: Uint8Array,
  work: (pdf: PdfDocument, budget: ReadingBudget) => Promise<Result>,
): Promise<Result> {
  await boundEngine(readSample);
  const budget = new ReadingBudget();
  return await withBudget(budget, async () => {
    // pdf.js takes the buffer that it is given, and the caller needs its own afterwards.
    const task = open(new Uint8Array(bytes));
    try {
      const pdf = await task.promise;
      if (pdf.numPages < 1) throw new DocumentProblem("damaged", "it has no pages");
      return await work(pdf, budget);
    } catch (error) {
      throw problemOf(error, budget);
    } finally {
      await task.destroy();
    }
  });
}

function open(data: Uint8Array) {
  return getDocument({
    data,
    verbosity: VerbosityLevel.ERRORS,
    disableFontFace: true,
    useSystemFonts: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    useWasm: false,
    useWorkerFetch: false,
    BinaryDataFactory: BuiltinCmaps,
    cMapPacked: true,
    enableXfa: false,
    // A damaged page gives what can be read of it.
    stopAtErrors: false,
    maxImageSize: 0,
  });
}

async function readSample(bytes: Uint8Array): Promise<void> {
  const task = open(bytes);
  const pdf = await task.promise;
  const page = await pdf.getPage(1);
  await page.getTextContent();
  await task.destroy();
}

function problemOf(error: unknown, budget: ReadingBudget): unknown {
  if (error instanceof DocumentProblem) return error;
  if (budget.largeStreams > 0) return new DocumentProblem("too-complex", "its streams inflate to more than is read");
  if (error instanceof PasswordException) return new DocumentProblem("password", "it opens only with a password");
  if (error instanceof RangeError) return new DocumentProblem("too-complex", "it is nested too deeply");
  if (error instanceof InvalidPDFException) return new DocumentProblem("damaged", "its structure is damaged");
  // Whatever else pdf.js throws, it throws for what is in the document.
  return new DocumentProblem(
    "damaged",
    `it cannot be read: ${String((error as Error)?.message ?? error).slice(0, 200)}`,
  );
}

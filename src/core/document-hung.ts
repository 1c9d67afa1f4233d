/**
 * The status by which a reader says that it hung on this document, and read nothing else. Only this machine can tell
 * (cli/machine/reader-process.ts).
 */
export const DOCUMENT_HUNG = 422;

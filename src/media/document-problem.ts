/**
 * Why a document cannot be read: it wants a password, its bytes are damaged, or it is larger or deeper than a limit.
 */
type DocumentFault = "password" | "damaged" | "too-complex";

/** Thrown by a reader: the fault of this document alone. The message is for people. */
export class DocumentProblem extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault, message: string) {
    super(message);
    this.name = "DocumentProblem";
    this.fault = fault;
  }
}

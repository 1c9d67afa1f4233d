/** Something that the person at the terminal can mend: its message is a sentence that says what and how, and is all that is shown. */
export class UserError extends Error {
  /** 1: the crawl did not complete; 2: the arguments are wrong. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

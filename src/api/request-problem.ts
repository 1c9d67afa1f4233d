/** A mistake in a request that has the right shape. The API answers 400 with its code. */
export class RequestProblem extends Error {
  readonly code: string;
  /** The parameter that has the mistake. */
  readonly path: string | undefined;

  constructor(code: string, message: string, path?: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

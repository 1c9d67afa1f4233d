/** An error that the user can fix. The command prints only its message, which says what is wrong and how to fix it. */
export class UserError extends Error {
  /** 1: the command failed. 2: the arguments are wrong. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Another process works in the state folder, and cannot be joined. */
export class StateInUse extends UserError {}

/** The code of a system error, such as ENOENT, or else the error as text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

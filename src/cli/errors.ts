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
export class StateInUse extends UserError {
  /** The id of the process; null if it has not said it. */
  readonly holder: number | null;
  /** Whether it starts, and may be joined in a moment. */
  readonly isStarting: boolean;

  constructor(message: string, { holder, isStarting }: Pick<StateInUse, "holder" | "isStarting">) {
    super(message);
    this.holder = holder;
    this.isStarting = isStarting;
  }
}

/** One mistake of a request, as the API says it. */
export interface Mistake {
  code?: string;
  message: string;
  /** The parameter that has it. */
  path?: string;
}

/** The API has refused a request. */
export class RefusedRequest extends UserError {
  readonly status: number;
  /** In the API's words; empty if the answer was none of ours. */
  readonly mistakes: readonly Mistake[];

  constructor(message: string, status: number, mistakes: readonly Mistake[]) {
    super(message, status === 400 ? 2 : 1);
    this.status = status;
    this.mistakes = mistakes;
  }
}

/** No installation answers at the address. */
export class Unreachable extends UserError {}

/** The code of a system error, such as ENOENT, or else the error as text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

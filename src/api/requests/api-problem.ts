/** Answers of the API inside the same Worker, for doors that call it: the console and MCP. */

/** One error of the API. `path` names the parameter at fault. */
export interface Mistake {
  code: string;
  message: string;
  path?: string;
}

/** A refusal by the API, with the API's messages. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly mistakes: Mistake[];

  constructor(status: number, mistakes: Mistake[]) {
    super(mistakes.map(({ message }) => message).join(" "));
    this.status = status;
    this.mistakes = mistakes;
  }
}

/** The `result` of an answer. Throws ApiProblem. */
export async function resultOf<T>(response: Response): Promise<T> {
  const answer = (await response.json()) as { result: T; errors?: Mistake[] };
  if (!response.ok) throw new ApiProblem(response.status, answer.errors ?? []);
  return answer.result;
}

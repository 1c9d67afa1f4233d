import { app } from "../api/app.ts";
import type { PageContext } from "./page-context.ts";

/** The API as the console's pages speak it: in the same Worker, as whoever signed in, so that no page can do what the API cannot. */

/** One mistake; `path` is the parameter that it is in. */
export interface Mistake {
  code: string;
  message: string;
  path?: string;
}

/** What the API refused, in its own words. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly mistakes: Mistake[];

  constructor(status: number, mistakes: Mistake[]) {
    super(mistakes.map(({ message }) => message).join(" "));
    this.status = status;
    this.mistakes = mistakes;
  }
}

/** The `result` of the answer. Throws ApiProblem. */
export async function callApi<T>(c: PageContext, method: string, path: string, body?: unknown): Promise<T> {
  const response = await requestApi(c, method, path, body);
  const answer = (await response.json()) as { result: T; errors?: Mistake[] };
  if (!response.ok) throw new ApiProblem(response.status, answer.errors ?? []);
  return answer.result;
}

/** As above; null where there is no such thing. */
export async function callApiIfThere<T>(c: PageContext, method: string, path: string): Promise<T | null> {
  try {
    return await callApi<T>(c, method, path);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}

/** The whole answer, as it comes. The request that led here was found to be ours, so its session is passed on. */
export async function requestApi(c: PageContext, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = new Headers({ "sec-fetch-site": "same-origin" });
  for (const name of ["cookie", "cf-connecting-ip"]) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return app.fetch(new Request(new URL(path, c.req.url), init), c.env, c.executionCtx);
}

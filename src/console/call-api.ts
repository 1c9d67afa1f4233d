import { app } from "../api/app.ts";
import { ApiProblem, resultOf } from "../api/requests/api-problem.ts";
import type { PageContext } from "./page-context.ts";

/**
 * Calls the API in the same Worker with the reader's session. The console uses nothing else, so it can do no more than
 * the API allows.
 */

/** Returns the `result` of the answer. Throws ApiProblem. */
export async function callApi<T>(c: PageContext, method: string, path: string, body?: unknown): Promise<T> {
  return resultOf<T>(await requestApi(c, method, path, body));
}

/** As `callApi`, but null for 404. */
export async function callApiIfThere<T>(c: PageContext, method: string, path: string): Promise<T | null> {
  try {
    return await callApi<T>(c, method, path);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}

/** The API path of the crawl in the request's path. */
export function apiPath(c: PageContext): string {
  return `/api/crawls/${encodeURIComponent(c.req.param("id") ?? "")}`;
}

/** As `callApi`, but the API's message where it answers 400, 404 or 409. */
export async function callApiOrMessage<T>(c: PageContext, path: string): Promise<T | string> {
  try {
    return await callApi<T>(c, "GET", path);
  } catch (error) {
    if (error instanceof ApiProblem && [400, 404, 409, 507].includes(error.status)) return error.message;
    throw error;
  }
}

/** Returns the raw answer. Passes the session on: the request is already known to come from our own pages. */
export async function requestApi(c: PageContext, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = new Headers({ "sec-fetch-site": "same-origin" });
  for (const name of ["cookie", "cf-connecting-ip"]) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return app.fetch(new Request(new URL(path, c.req.url), init), c.env, c.executionCtx);
}

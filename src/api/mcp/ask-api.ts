import { ApiProblem, resultOf } from "../requests/api-problem.ts";

/**
 * The API as the tools call it: in the same Worker, with the caller's token. So a tool can do no more than the token
 * may, and every rule of the API holds.
 */

export type Query = Record<string, string>;

export interface Api {
  /** Throws ApiProblem. */
  get<T>(path: string, query?: Query): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  /**
   * A page of a list, and the cursor of the next one, which its `Link` header has. `silent`: the number of ledgers that
   * did not answer.
   */
  list<T>(path: string, query: Query): Promise<{ result: T; cursor: string | null; silent: number }>;
  /** The body of an answer that has no envelope. */
  text(path: string, query: Query): Promise<string>;
}

/** `send`: the API. `origin`: that of the caller's request. `headers`: those that say who calls. */
export function askApi(send: (request: Request) => Promise<Response>, origin: string, headers: HeadersInit): Api {
  const ask = (method: string, path: string, query: Query = {}, body?: unknown) => {
    const url = new URL(path, origin);
    url.search = new URLSearchParams(query).toString();
    return send(new Request(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }));
  };
  return {
    get: async <T>(path: string, query?: Query) => resultOf<T>(await ask("GET", path, query)),
    post: async <T>(path: string, body: unknown = {}) => resultOf<T>(await ask("POST", path, {}, body)),
    list: async <T>(path: string, query: Query) => {
      const response = await ask("GET", path, query);
      const next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
      const { messages = [] } = (await response.clone().json()) as { messages?: string[] };
      const cursor = next === undefined ? null : decodeURIComponent(next);
      return { result: await resultOf<T>(response), cursor, silent: messages.length };
    },
    text: async (path, query) => {
      const response = await ask("GET", path, query);
      if (!response.ok) await resultOf(response);
      return response.text();
    },
  };
}

/** As `Api.get`, but null for 404. */
export async function getIfThere<T>(api: Api, path: string, query?: Query): Promise<T | null> {
  try {
    return await api.get<T>(path, query);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}

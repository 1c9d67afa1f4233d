import type { Context, Handler } from "hono";

/**
 * A file of public/. `If-None-Match` is the only request header that is passed on, so no token is. The caller must have
 * checked the path against a list.
 */
export function asset(c: Context<{ Bindings: Env }>, path: string): Promise<Response> {
  const known = c.req.header("if-none-match");
  const headers: Record<string, string> = known === undefined ? {} : { "if-none-match": known };
  return c.env.ASSETS.fetch(new URL(path, c.req.url), { headers });
}

/** Serves the listed files of a folder. The route has the parameter `:file`. */
export function assetsOf(folder: string, files: readonly string[]): Handler<{ Bindings: Env }> {
  return (c) => {
    const file = c.req.param("file") ?? "";
    return files.includes(file) ? asset(c, `${folder}/${file}`) : c.notFound();
  };
}

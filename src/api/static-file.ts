import type { Context, Handler } from "hono";

/**
 * A file of public/, asked for without the token that a browser may have sent along, and with what says that it has the file already. Whoever
 * calls this has checked the path against a list.
 */
export function asset(c: Context<{ Bindings: Env }>, path: string): Promise<Response> {
  const known = c.req.header("if-none-match");
  const headers: Record<string, string> = known === undefined ? {} : { "if-none-match": known };
  return c.env.ASSETS.fetch(new URL(path, c.req.url), { headers });
}

/** Hands out these files of a folder, by the `:file` of the route, and no others. */
export function assetsOf(folder: string, files: readonly string[]): Handler<{ Bindings: Env }> {
  return (c) => {
    const file = c.req.param("file") ?? "";
    return files.includes(file) ? asset(c, `${folder}/${file}`) : c.notFound();
  };
}

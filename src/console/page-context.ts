import type { Context } from "hono";
import type { Access } from "../api/tokens.ts";

/** What every page of the console knows of its reader. */
export type Console = { Bindings: Env };
export type PageContext = Context<Console>;

declare module "hono" {
  interface ContextVariableMap {
    /** What the token may do with which the reader signed in. */
    access: Access;
  }
}

import type { Context } from "hono";
import type { Access } from "../api/access/tokens.ts";

/** The context of a request to a page of the console. */
export type Console = { Bindings: Env };
export type PageContext = Context<Console>;

declare module "hono" {
  interface ContextVariableMap {
    /** The access that the reader's token grants. */
    access: Access;
    /** Whether the page holds a picture of ours in its HTML. */
    showsOwnPicture?: boolean;
  }
}

import * as z from "zod";
import { requestOf } from "../requests/fields.ts";

/** Requests of /mcp. */

export const mcpQuery = requestOf({
  access: z
    .enum(["read"])
    .optional()
    .describe("`read`: only the tools that read, whatever the token may do. Without it: all that the token may do."),
});

import type { PageContext } from "../page-context.ts";
import type { FormValues } from "./crawl-form-data.ts";

/** The form that was posted. */
export async function readForm(c: PageContext): Promise<FormValues> {
  const body = await c.req.parseBody({ all: true });
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, [value].flat().filter((each) => typeof each === "string")]),
  );
}

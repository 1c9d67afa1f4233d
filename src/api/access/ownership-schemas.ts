import * as z from "zod";
import { objectOf, requestOf } from "../requests/fields.ts";

/** Whose host it is. */

export const ownershipQuery = requestOf({
  url: z.string().min(1).describe("A URL of the host."),
});

export const ownershipView = objectOf({
  host: z.string().describe("The host, with its port unless that is the default."),
  isOwn: z.boolean().describe("Whether it is shown to be the operator's own."),
  says: z.string().describe("How that is known, or why the proofs failed, in words."),
  limits: z.string().nullable().describe("What holds for crawls of the host, whatever they ask for. null: nothing."),
  key: z.string().describe("The key of this installation, which a proof names."),
  file: z.string().describe("A proof: the URL of a text file that has the key on a line of its own."),
  dns: z
    .string()
    .nullable()
    .describe("Another proof: the name of a TXT record that has the key. null: the host has no public name."),
});
export type OwnershipView = z.output<typeof ownershipView>;

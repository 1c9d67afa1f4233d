import * as z from "zod";
import { SESSION_NAME, type SessionFacts } from "../../crawl/session.ts";
import { headerName, headerValue, signedInValue } from "../crawls/option-formats.ts";
import { count, isoOrNull, objectOf, requestOf, time } from "../requests/fields.ts";

/** Requests and answers of /api/sessions. No answer has a cookie or a header. */

const MAX_HOSTS = 50;
const MAX_COOKIES = 400;
const MAX_HEADERS = 50;
/** A host, `host:port` or `*.suffix`, as `matchesHost` reads it. */
const HOST = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
const host = z
  .string()
  .max(300)
  .regex(HOST, "it is no host, such as wiki.example, wiki.example:8443 or *.wiki.example, in lower case");

const cookie = requestOf({
  name: z.string().max(4_096).describe("The name."),
  value: z
    .string()
    .max(4_096)
    .regex(/^[\t\x20-\x3a\x3c-\x7e\x80-\xff]*$/, "a cookie has no semicolon and no control characters")
    .describe("The value. No answer has it."),
  domain: z.string().min(1).max(300).describe("The host, or the domain with a leading dot for all hosts below it too."),
  path: z.string().max(1_024).default("/").describe("It goes to this path and what lies below."),
  secure: z.boolean().default(false).describe("Whether it goes to https URLs alone."),
  expires: z.number().nullable().default(null).describe("When it expires, in seconds since 1970. null: never."),
});

export const sessionRequest = requestOf({
  name: z
    .string()
    .regex(SESSION_NAME, "a session's name has 1 to 100 letters, digits, dots, dashes and underscores")
    .describe("Its name. What that name had before is replaced."),
  hosts: z
    .array(host)
    .min(1)
    .max(MAX_HOSTS)
    .describe(
      "The hosts to which it goes, and no others: a host, `host:port`, or `*.suffix` for all hosts below a domain.",
    ),
  cookies: z.array(cookie).max(MAX_COOKIES).default([]).describe("The cookies. Each must go to one of the hosts."),
  headers: z
    .array(
      requestOf({
        host: host.optional().describe("One of the hosts. Absent: all of them."),
        name: headerName.describe("The name of the header."),
        value: headerValue.describe("The value. No answer has it."),
      }),
    )
    .max(MAX_HEADERS)
    .default([])
    .describe("Headers of requests, over https alone, or inside of one's own network."),
  signedIn: signedInValue
    .default("")
    .describe(
      "How a page looks with it: a CSS selector, `text=WORDS`, or a URL that answers only with it. Empty: not said.",
    ),
  temporary: z
    .boolean()
    .default(false)
    .describe("Whether it is for one crawl, and is removed with it. It is in no list."),
});

export const sessionView = objectOf({
  name: z.string().describe("Its name."),
  hosts: z.array(z.string()).describe("The hosts to which it goes."),
  cookies: count.describe("How many cookies it has."),
  headers: count.describe("How many headers it has."),
  signedIn: z.string().describe("How a page looks with it; empty if nobody has said."),
  addedAt: time.describe("When it was brought, last."),
  seenAt: time.nullable().describe("When a page was last seen signed in. null: none was since it was brought."),
  signedOutAt: time
    .nullable()
    .describe("When it was found signed out. null: it was not, since it was brought or seen."),
  signedOutWhy: z.string().nullable().describe("Why it counts as signed out, in words."),
});
export type SessionView = z.output<typeof sessionView>;

export const removedSessionView = objectOf({
  name: z.string().describe("Its name."),
  crawls: z.array(z.uuid()).describe("The newest crawls that have used it: their pages stay."),
  schedules: z.array(z.uuid()).describe("The schedules that use it: their next crawls pause at once."),
});
export type RemovedSessionView = z.output<typeof removedSessionView>;

export function viewSession(facts: SessionFacts): SessionView {
  const { name, hosts, cookies, headers, signedIn, addedAt, seenAt, signedOutAt, signedOutWhy } = facts;
  return {
    ...{ name, hosts: [...hosts], cookies, headers, signedIn },
    addedAt: new Date(addedAt).toISOString(),
    seenAt: isoOrNull(seenAt),
    signedOutAt: isoOrNull(signedOutAt),
    signedOutWhy,
  };
}

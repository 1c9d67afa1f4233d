import * as z from "zod";
import {
  describeStep,
  LOG_INS_A_DAY,
  type LogInFacts,
  MOST_LOG_IN_STEPS,
  MOST_LOG_INS_A_DAY,
  type SessionCheck,
  secretNamesOf,
} from "../../crawl/log-in.ts";
import { SESSION_NAME, type SessionFacts } from "../../crawl/session.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { hasUserInfo } from "../../url/user-info.ts";
import { NO_LOG_IN } from "../crawls/crawl-request.ts";
import { headerName, headerValue, signedInValue } from "../crawls/option-formats.ts";
import { count, integer, isoOrNull, objectOf, requestOf, time } from "../requests/fields.ts";

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

const selector = z.string().min(1).max(500);
const secretName = z
  .string()
  .regex(/^[A-Za-z_][\w.-]{0,99}$/, "the name of a secret has letters, digits, dots, dashes and underscores");
const openUrl = z
  .string()
  .max(2_048)
  .refine((written) => canonicalize(written.trim()) !== null, { message: "it is no http or https URL" })
  .refine((written) => !hasUserInfo(written.trim()), { message: NO_LOG_IN });

const step = z.union([
  requestOf({ open: openUrl.describe("A URL to open.") }),
  requestOf({
    fill: selector.describe("The CSS selector of a field."),
    with: secretName.describe("The name of the secret to fill it with."),
  }),
  requestOf({ click: selector.describe("The CSS selector of what is clicked.") }),
  requestOf({
    waitFor: selector.describe("A CSS selector, or `text=WORDS`: the page is waited for until it has it."),
  }),
]);

const logInRequest = requestOf({
  steps: z
    .array(step)
    .min(1)
    .max(MOST_LOG_IN_STEPS)
    .refine(([first]) => first !== undefined && "open" in first, { message: "the first step opens a URL" })
    .describe("What a browser does, one after the other. The first step opens a URL."),
  hosts: z
    .array(host)
    .max(MAX_HOSTS)
    .default([])
    .describe("Hosts beside those of the session that it opens or posts to, such as that of a single sign-on."),
  secrets: z
    .record(secretName, z.string().min(1).max(4_096))
    .default({})
    .describe("The values of the secrets that the steps name. No answer has them."),
  perDay: integer(1, MOST_LOG_INS_A_DAY, LOG_INS_A_DAY).describe(
    "Log-ins of its account within 24 hours, all sessions together.",
  ),
}).superRefine(({ steps, secrets }, context) => {
  for (const name of secretNamesOf({ steps }))
    if (secrets[name] === undefined)
      context.addIssue({ code: "custom", path: ["secrets", name], message: "the steps name it, and it has no value" });
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
  login: logInRequest
    .nullable()
    .default(null)
    .describe("How a browser logs in, to renew what the session holds. null: nobody has written it down."),
  temporary: z
    .boolean()
    .default(false)
    .describe("Whether it is for one crawl, and is removed with it. It is in no list."),
});

export const checkRequest = requestOf({
  url: openUrl
    .optional()
    .describe(
      "The page to look at. Absent: where the log-in leads, one that was seen signed in, or the start of the first host.",
    ),
  signedIn: signedInValue.optional().describe("How a page looks with it from now on, as in the request of a session."),
});

const stepView = objectOf({
  step: z.string().describe("What it was to do, with the name of its secret."),
  ok: z.boolean().describe("Whether it was done. The first that was not is the last."),
  detail: z.string().describe("Why not; empty if it was done."),
});

export const checkView = objectOf({
  name: z.string().describe("The name of the session."),
  works: z
    .boolean()
    .nullable()
    .describe(
      "Whether the session reads as a member: by its log-in, its mark, or what strangers get. null: none says so.",
    ),
  why: z.string().nullable().describe("Why it does not, and what to do. null if it does."),
  steps: z.array(stepView).describe("What the browser did."),
  page: objectOf({
    url: z.string().describe("Its URL, without query and fragment."),
    title: z.string().describe("Its title."),
  })
    .nullable()
    .describe("The page after the last step. null: there is none."),
  picture: z.string().nullable().describe("How that page looks: a JPEG in base64. It is not stored. null: none."),
  noPicture: z.string().nullable().describe("Why there is no picture. null if there is one."),
  compared: z.string().nullable().describe("The URL that was asked for with the session and without it. null: none."),
  strangers: z
    .string()
    .nullable()
    .describe("How the page turns strangers away, such as `it answers 401`. null: it does not, or was not compared."),
  problem: z.string().nullable().describe("Why it could not be compared. null if it was."),
  signedIn: z.string().describe("How a page looks with it; empty if nobody has said."),
  proposed: z
    .string()
    .nullable()
    .describe("A CSS selector that the page matches with the session alone, for `signedIn`. null: none was found."),
});
export type CheckView = z.output<typeof checkView>;

const logInView = objectOf({
  steps: z.array(z.string()).describe("Its steps in words, with the names of secrets."),
  hosts: z.array(z.string()).describe("Hosts beside those of the session."),
  perDay: count.describe("Log-ins of its account that are allowed within 24 hours."),
  today: count.describe("Those that were done within 24 hours."),
  doneAt: time.nullable().describe("When it was last done. null: never."),
  failedWhy: z.string().nullable().describe("Why it failed then. null: it did not."),
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
  login: logInView.nullable().describe("Its log-in. null: nobody has written one down."),
});
export type SessionView = z.output<typeof sessionView>;

export const removeSessionQuery = requestOf({
  withCrawls: z
    .enum(["true", "false"])
    .default("false")
    .describe("`true`: delete the crawls that have used it, running ones among them, with all that they stored."),
});

export const removedSessionView = objectOf({
  name: z.string().describe("Its name."),
  crawls: z.array(z.uuid()).describe("The newest crawls that have used it: their pages stay."),
  schedules: z.array(z.uuid()).describe("The schedules that use it: their next crawls pause at once."),
  deleted: z
    .array(z.uuid())
    .describe("The crawls that are deleted with it: they are gone for everybody, and their space is freed soon."),
});
export type RemovedSessionView = z.output<typeof removedSessionView>;

export function viewSession(facts: SessionFacts, logIn: LogInFacts | undefined): SessionView {
  const { name, hosts, cookies, headers, signedIn, addedAt, seenAt, signedOutAt, signedOutWhy } = facts;
  return {
    ...{ name, hosts: [...hosts], cookies, headers, signedIn },
    addedAt: new Date(addedAt).toISOString(),
    seenAt: isoOrNull(seenAt),
    signedOutAt: isoOrNull(signedOutAt),
    signedOutWhy,
    login: logIn === undefined ? null : viewLogIn(logIn),
  };
}

function viewLogIn({ steps, hosts, perDay, today, doneAt, failedWhy }: LogInFacts): SessionView["login"] {
  const times = { doneAt: isoOrNull(doneAt), failedWhy };
  return { steps: steps.map(describeStep), hosts: [...hosts], perDay, today, ...times };
}

export function viewCheck({ name, signedIn }: SessionFacts, check: SessionCheck): CheckView {
  const { done, notDone, why, url, marked, strangers, proposed, problem } = check;
  const picture = done === null || typeof done.picture === "string" ? null : toBase64(done.picture);
  const hasLoggedIn = done !== null && why === null && done.steps.every(({ ok }) => ok);
  const seen = hasLoggedIn ? done.marked : null;
  return {
    name,
    works: why !== null ? false : (marked ?? seen ?? (strangers === null ? null : true)),
    why: why ?? (marked === false ? "its page does not look signed in" : null),
    steps: done?.steps ?? [],
    page: done?.page ?? null,
    picture,
    noPicture:
      picture !== null
        ? null
        : done !== null && typeof done.picture === "string"
          ? done.picture
          : (notDone ?? "the browser did nothing"),
    ...{ compared: url, strangers, problem, signedIn, proposed },
  };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

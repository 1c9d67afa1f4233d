import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem, type Mistake } from "../api/requests/api-problem.ts";
import type { SessionView } from "../api/views.ts";
import { clockOf } from "../core/clock.ts";
import { CookieFileProblem, keepFor, readCookieFile } from "../fetch/request/cookie-file.ts";
import { callApi } from "./call-api.ts";
import { Heading, Page, render } from "./layout.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { Submit } from "./parts/controls.tsx";
import { FormField, type Problems } from "./parts/field.tsx";
import { Time } from "./parts/numbers.tsx";
import { problemsByField } from "./parts/problems.ts";
import { type Column, Table } from "./parts/table.tsx";

/** The sessions: what reads pages behind a log-in. What they hold is never shown, and is typed anew to change it. */

export const sessionsPageRoutes = new Hono<Console>();

/** What is shown again after a mistake. What is secret is not. */
type Values = Partial<Record<"name" | "hosts" | "signedIn", string>>;

sessionsPageRoutes.get("/sessions", (c) => sessionsPage(c, {}, []));

sessionsPageRoutes.post("/sessions", async (c) => {
  const form = await c.req.parseBody();
  const textOf = (name: string) => (typeof form[name] === "string" ? form[name].trim() : "");
  const values: Values = { name: textOf("name"), hosts: textOf("hosts"), signedIn: textOf("signedIn") };
  const hosts = textOf("hosts").toLowerCase().split(/\s+/).filter(Boolean);
  try {
    const cookies = readCookies(textOf("cookies"), hosts, clockOf(c.env).now());
    const headers = textOf("headers").split(/\r?\n/).filter(Boolean).map(toHeader);
    await callApi(c, "POST", "/api/sessions", { ...values, hosts, cookies, headers });
  } catch (error) {
    if (error instanceof CookieFileProblem)
      return sessionsPage(c, values, [{ code: "invalid-request", path: "cookies", message: error.message }]);
    if (!(error instanceof ApiProblem) || error.status !== 400) throw error;
    return sessionsPage(c, values, error.mistakes);
  }
  return c.redirect("/sessions", 303);
});

sessionsPageRoutes.post("/sessions/:name/remove", async (c) => {
  await callApi(c, "DELETE", `/api/sessions/${encodeURIComponent(c.req.param("name"))}`);
  return c.redirect("/sessions", 303);
});

/** Those that go to the hosts, as the API takes them. Throws CookieFileProblem. */
function readCookies(text: string, hosts: readonly string[], now: number): object[] {
  if (text === "") return [];
  const { kept, left } = keepFor(readCookieFile(text, now), hosts);
  if (kept.length === 0)
    throw new CookieFileProblem(
      `There is no cookie for these hosts. There are some for ${left.slice(0, 5).join(", ")}.`,
    );
  return kept.map(({ host, isOfDomain, expiresAt, ...cookie }) => ({
    ...cookie,
    domain: isOfDomain ? `.${host}` : host,
    expires: expiresAt === null ? null : expiresAt / 1_000,
  }));
}

function toHeader(line: string): { name: string; value: string } {
  const at = line.indexOf(":");
  return { name: line.slice(0, Math.max(0, at)).trim(), value: line.slice(at + 1).trim() };
}

async function sessionsPage(c: PageContext, values: Values, mistakes: Mistake[]): Promise<Response> {
  const mayAct = c.get("access") === "all";
  const sessions = mayAct ? await callApi<SessionView[]>(c, "GET", "/api/sessions") : [];
  const problems = problemsByField(mistakes);
  const page = (
    <Page title="Sessions" c={c} section="sessions">
      <Heading title="Sessions" />
      {mistakes.length > 0 && (
        <p class="notice problem" role="alert">
          {problems[""]?.join(" ") ??
            "The session was not kept. Correct the marked fields, and fill in what is secret anew."}
        </p>
      )}
      {sessions.length === 0 ? (
        <div class="panel empty">
          <h2>{mayAct ? "No sessions yet" : "This token is told of no sessions"}</h2>
          <p>
            A session has the cookies or headers of somebody who is logged in, for crawls of what strangers do not see.
          </p>
        </div>
      ) : (
        <div class="panel flush">
          <Table caption="Sessions" columns={COLUMNS} rows={sessions} />
        </div>
      )}
      {mayAct && <AddForm values={values} problems={problems} />}
    </Page>
  );
  return render(c, page, mistakes.length > 0 ? 400 : 200);
}

const COLUMNS: Column<SessionView>[] = [
  { text: "Name", cell: ({ name }) => <code>{name}</code> },
  { text: "Hosts", cell: ({ hosts }) => hosts.join(", ") },
  { text: "Since", class: "mid nowrap", cell: ({ addedAt }) => <Time at={addedAt} /> },
  { text: "Last seen signed in", class: "mid nowrap", cell: (session) => <Seen session={session} /> },
  {
    text: "Remove",
    head: <span class="visually-hidden">Remove</span>,
    cell: ({ name }) => (
      <form method="post" action={`/sessions/${encodeURIComponent(name)}/remove`}>
        <Submit class="danger">
          Remove<span class="visually-hidden"> the session {name}</span>
        </Submit>
      </form>
    ),
  },
];

const Seen: FC<{ session: SessionView }> = ({ session: { seenAt, signedOutAt, signedOutWhy } }) =>
  signedOutAt === null ? (
    <Time at={seenAt} />
  ) : (
    <span title={signedOutWhy ?? ""}>
      Signed out: <Time at={signedOutAt} />
    </span>
  );

const AddForm: FC<{ values: Values; problems: Problems }> = ({ values, problems }) => (
  <form class="panel" method="post" action="/sessions" autocomplete="off">
    <h2>Add a session</h2>
    <p class="help">What that name had before is replaced. Nothing of it is shown again.</p>
    <FormField name="name" label="Name" problems={problems}>
      {(described) => <input id="name" name="name" type="text" value={values.name ?? ""} required {...described} />}
    </FormField>
    <FormField
      name="hosts"
      label="Hosts"
      help="Where it goes, and nowhere else: wiki.example, wiki.example:8443 or *.wiki.example, between spaces."
      problems={problems}
    >
      {(described) => (
        <input
          id="hosts"
          name="hosts"
          type="text"
          value={values.hosts ?? ""}
          required
          spellcheck={false}
          {...described}
        />
      )}
    </FormField>
    <FormField
      name="cookies"
      label="Cookies"
      help="The text of cookies.txt, of Playwright’s storage state or of a HAR. Only cookies of the hosts are kept."
      problems={problems}
    >
      {(described) => <textarea id="cookies" name="cookies" rows={4} spellcheck={false} {...described} />}
    </FormField>
    <FormField
      name="headers"
      label="Headers"
      help="A line each, such as “Authorization: Bearer …”. They go over https, or inside of your own network."
      problems={problems}
    >
      {(described) => <textarea id="headers" name="headers" rows={2} spellcheck={false} {...described} />}
    </FormField>
    <FormField
      name="signedIn"
      label="Signed in"
      help="How a page looks with it: a CSS selector such as a.log-out, text=WORDS, or a URL."
      problems={problems}
    >
      {(described) => (
        <input
          id="signedIn"
          name="signedIn"
          type="text"
          value={values.signedIn ?? ""}
          spellcheck={false}
          {...described}
        />
      )}
    </FormField>
    <Submit class="primary">Keep session</Submit>
  </form>
);

import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem, type Mistake } from "../api/requests/api-problem.ts";
import type { CheckView, SessionView } from "../api/views.ts";
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
type Values = Partial<Record<"name" | "hosts" | "signedIn" | "login", string>>;

sessionsPageRoutes.get("/sessions", (c) => sessionsPage(c, {}, []));

sessionsPageRoutes.post("/sessions", async (c) => {
  const form = await c.req.parseBody();
  const textOf = (name: string) => (typeof form[name] === "string" ? form[name].trim() : "");
  const [name, signedIn, login] = [textOf("name"), textOf("signedIn"), textOf("login")];
  const values: Values = { name, hosts: textOf("hosts"), signedIn, login };
  const hosts = textOf("hosts").toLowerCase().split(/\s+/).filter(Boolean);
  try {
    const cookies = readCookies(textOf("cookies"), hosts, clockOf(c.env).now());
    const headers = textOf("headers").split(/\r?\n/).filter(Boolean).map(toHeader);
    const logIn = login === "" ? null : readLogIn(login, textOf("secrets"));
    await callApi(c, "POST", "/api/sessions", { name, signedIn, hosts, cookies, headers, login: logIn });
  } catch (error) {
    if (error instanceof CookieFileProblem)
      return sessionsPage(c, values, [{ code: "invalid-request", path: "cookies", message: error.message }]);
    if (error instanceof SyntaxError)
      return sessionsPage(c, values, [{ code: "invalid-request", path: "login", message: error.message }]);
    if (!(error instanceof ApiProblem) || error.status !== 400) throw error;
    return sessionsPage(c, values, error.mistakes);
  }
  return c.redirect("/sessions", 303);
});

sessionsPageRoutes.post("/sessions/:name/check", async (c) => {
  const form = await c.req.parseBody();
  const name = c.req.param("name");
  const signedIn = typeof form.signedIn === "string" ? { signedIn: form.signedIn } : {};
  const check = await callApi<CheckView>(c, "POST", `/api/sessions/${encodeURIComponent(name)}/check`, signedIn);
  c.set("showsOwnPicture", true);
  const page = (
    <Page title={`Session ${name}`} c={c} section="sessions">
      <Heading title={`Session ${name}`} />
      <Checked check={check} />
    </Page>
  );
  return render(c, page, 200);
});

sessionsPageRoutes.post("/sessions/:name/remove", async (c) => {
  const form = await c.req.parseBody();
  const query = form.withCrawls === "true" ? "?withCrawls=true" : "";
  await callApi(c, "DELETE", `/api/sessions/${encodeURIComponent(c.req.param("name"))}${query}`);
  return c.redirect("/sessions", 303);
});

/** The log-in as the API takes it. `secrets`: lines NAME=VALUE. Throws SyntaxError. */
function readLogIn(text: string, secrets: string): object {
  const parsed: unknown = JSON.parse(text);
  const logIn = Array.isArray(parsed) ? { steps: parsed } : parsed;
  if (typeof logIn !== "object" || logIn === null) throw new SyntaxError("it has no steps");
  const lines = secrets.split(/\r?\n/).filter((line) => line.trim() !== "");
  const values = lines.map((line) => {
    const at = line.indexOf("=");
    if (at < 1) throw new SyntaxError("a line of the secrets is no NAME=VALUE");
    return [line.slice(0, at).trim(), line.slice(at + 1)];
  });
  return { ...logIn, secrets: Object.fromEntries(values) };
}

const Checked: FC<{ check: CheckView }> = ({ check }) => {
  const { name, works, why, steps, page, picture, noPicture, compared, strangers, problem, signedIn, proposed } = check;
  const says =
    works === null
      ? steps.length > 1
        ? "The log-in was done. Say how a page looks with it, below, and its end is noticed."
        : "Nobody has said how a page looks with it, so it cannot be judged yet."
      : works
        ? "It reads as a member."
        : `It does not work: ${why}`;
  return (
    <>
      <p class={works === false ? "notice problem" : "notice"} role="status">
        {says}
      </p>
      {steps.length > 0 && (
        <div class="panel">
          <h2>What the browser did</h2>
          <ol class="log-in-steps">
            {steps.map(({ step, ok, detail }) => (
              <li>
                <span class={ok ? "done" : "failed"}>{ok ? "Done" : "Not done"}</span> <code>{step}</code>
                {detail !== "" && `: ${detail}`}
              </li>
            ))}
          </ol>
        </div>
      )}
      <div class="panel">
        <h2>The page afterwards</h2>
        {page !== null && (
          <p>
            {page.title || "Without a title"}, at <code>{page.url}</code>
          </p>
        )}
        {picture === null ? (
          <p class="help">There is no picture: {noPicture}.</p>
        ) : (
          <img
            class="session-picture"
            src={`data:image/jpeg;base64,${picture}`}
            alt={`How ${page?.url ?? "the page"} looked`}
          />
        )}
        <p class="help">The picture is stored nowhere.</p>
      </div>
      <div class="panel">
        <h2>How to tell when it has ended</h2>
        {signedIn !== "" && (
          <p>
            A page counts as signed in by <code>{signedIn}</code>.
          </p>
        )}
        {problem !== null && (
          <p>
            <code>{compared}</code> could not be compared: {problem}.
          </p>
        )}
        {proposed !== null && proposed !== signedIn && (
          <form method="post" action={`/sessions/${encodeURIComponent(name)}/check`}>
            <p>
              <code>{compared}</code> has <code>{proposed}</code>, which strangers do not get.
            </p>
            <input type="hidden" name="signedIn" value={proposed} />
            <Submit class="primary">Tell by that, and check again</Submit>
          </form>
        )}
        {proposed === null && strangers !== null && signedIn === "" && (
          <p>
            <code>{compared}</code> turns strangers away: {strangers}. A crawl tells by that when the session has ended.
          </p>
        )}
        {proposed === null &&
          strangers === null &&
          why === null &&
          problem === null &&
          compared !== null &&
          signedIn === "" && (
            <p>
              <code>{compared}</code> shows nothing that strangers do not get. Say a mark yourself when you add the
              session.
            </p>
          )}
      </div>
      <p>
        <a href="/sessions">All sessions</a>
      </p>
    </>
  );
};

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
  {
    text: "Name and hosts",
    class: "session-name",
    cell: ({ name, hosts }) => (
      <>
        <code>{name}</code>
        <p class="muted small">{hosts.join(", ")}</p>
      </>
    ),
  },
  {
    text: "Since",
    cell: (session) => (
      <>
        <Time at={session.addedAt} />
        <p class="muted small">
          <Seen session={session} />
        </p>
      </>
    ),
  },
  {
    text: "Log-in",
    class: "mid",
    cell: ({ login }) => (login === null ? "by hand" : <LogIn login={login} />),
  },
  {
    text: "Actions",
    head: <span class="visually-hidden">Actions</span>,
    cell: ({ name }) => (
      <div class="row-actions">
        <form method="post" action={`/sessions/${encodeURIComponent(name)}/check`}>
          <Submit>
            Check<span class="visually-hidden"> the session {name}</span>
          </Submit>
        </form>
        <details>
          <summary>
            Remove<span class="visually-hidden"> the session {name}</span>
          </summary>
          <form method="post" action={`/sessions/${encodeURIComponent(name)}/remove`}>
            <label class="check">
              <input type="checkbox" name="withCrawls" value="true" /> Delete what was read with it, too
            </label>
            <Submit class="danger">
              Remove<span class="visually-hidden"> the session {name}</span>
            </Submit>
          </form>
        </details>
      </div>
    ),
  },
];

const LogIn: FC<{ login: NonNullable<SessionView["login"]> }> = ({ login: { today, perDay, failedWhy } }) => (
  <span title={failedWhy ?? ""}>
    {today} of {perDay} today{failedWhy !== null && ", failed"}
  </span>
);

const Seen: FC<{ session: SessionView }> = ({ session: { seenAt, signedOutAt, signedOutWhy } }) =>
  signedOutAt === null ? (
    seenAt === null ? (
      <>not seen signed in yet</>
    ) : (
      <>
        last seen signed in <Time at={seenAt} />
      </>
    )
  ) : (
    <span title={signedOutWhy ?? ""}>
      signed out <Time at={signedOutAt} />
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
    <FormField
      name="login"
      label="Log-in"
      help='JSON: the steps by which a browser logs in, such as [{"open": "https://wiki.example/login"}, {"fill": "#user", "with": "USER"}, {"click": "#go"}]. They renew the session, at most three times a day.'
      problems={problems}
    >
      {(described) => (
        <textarea id="login" name="login" rows={4} spellcheck={false} {...described}>
          {values.login ?? ""}
        </textarea>
      )}
    </FormField>
    <FormField
      name="secrets"
      label="Secrets of the log-in"
      help="The values that its steps name, a line each: USER=ann. Kept encrypted, and never shown again."
      problems={problems}
    >
      {(described) => (
        <textarea id="secrets" name="secrets" rows={2} spellcheck={false} autocomplete="off" {...described} />
      )}
    </FormField>
    <Submit class="primary">Keep session</Submit>
  </form>
);

import { Hono, type MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { sessionOf, signIn } from "../api/access/auth.ts";
import { endSession, isOurs, startSession } from "../api/access/session.ts";
import { limitBody } from "../api/requests/limit-body.ts";
import { refusal } from "../api/requests/request-problem.ts";
import { clockOf } from "../core/clock.ts";
import { Bare, render } from "./layout.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { Submit } from "./parts/controls.tsx";

/** Signs in with a token, and out. */

/** Anybody may send the form: it is a token and a path. */
const MAX_FORM_BYTES = 16 * 1024;

export const signInRoutes = new Hono<Console>();

signInRoutes.get("/sign-in", async (c) => {
  if ((await sessionOf(c)) !== null) return c.redirect(targetOf(c.req.query("to")), 303);
  return render(c, <SignIn to={targetOf(c.req.query("to"))} />);
});

signInRoutes.post("/sign-in", limitBody(MAX_FORM_BYTES), async (c) => {
  requireSameOrigin(c);
  const { token, to } = await c.req.parseBody();
  const given = typeof token === "string" ? token.trim() : "";
  const target = targetOf(typeof to === "string" ? to : undefined);
  if (given === "") return render(c, <SignIn to={target} problem="Enter a token." />, 400);
  try {
    const identity = await signIn(c, given);
    if (identity === null) return render(c, <SignIn to={target} problem="This token is not valid here." />, 401);
    await startSession(c, identity, clockOf(c.env).now());
  } catch (error) {
    if (!(error instanceof HTTPException) || error.status !== 429) throw error;
    return render(c, <SignIn to={target} problem={error.message} />, 429);
  }
  return c.redirect(target, 303);
});

signInRoutes.post("/sign-out", (c) => {
  requireSameOrigin(c);
  endSession(c);
  return c.redirect("/sign-in", 303);
});

/** Redirects visitors who are not signed in to the sign-in page. */
export const requireSession: MiddlewareHandler<Console> = async (c, next) => {
  const identity = await sessionOf(c);
  const { pathname, search } = new URL(c.req.url);
  if (identity !== null) {
    c.set("access", identity.access);
    return next();
  }
  if (c.req.method !== "GET") requireSameOrigin(c);
  // A request from a link on another site has no cookie. When our own page repeats it, the browser sends the cookie.
  if (c.req.header("sec-fetch-site") === "cross-site" && c.req.method === "GET")
    return render(c, <Bounce to={pathname + search} />);
  const to = c.req.method === "GET" ? `?${new URLSearchParams({ to: pathname + search })}` : "";
  return c.redirect(`/sign-in${pathname === "/" ? "" : to}`, 303);
};

function requireSameOrigin(c: PageContext): void {
  if (!isOurs(c)) throw refusal(403, "This form was sent by another site and was rejected.");
}

/** The path to return to; "/" unless it is a path of this origin. */
function targetOf(to = "/"): string {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : "/";
}

function SignIn({ to, problem }: { to: string; problem?: string }) {
  return (
    <Bare title="Sign in" scripts={["sign-in.js"]}>
      <form class="sign-in panel" method="post" action="/sign-in">
        <h1>Sign in</h1>
        <div class="field">
          <label for="token">Access token</label>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="current-password"
            autocapitalize="none"
            spellcheck={false}
            required
            autofocus
            aria-invalid={problem === undefined ? undefined : "true"}
            aria-describedby={problem === undefined ? "token-help" : "token-problem token-help"}
          />
          {problem !== undefined && (
            <p class="problem" id="token-problem" role="alert">
              {problem}
            </p>
          )}
          <p class="help" id="token-help">
            <code>orbweaver serve</code> and <code>npm run deploy</code> print it; <code>serve</code> also prints a link
            that signs you in. A read-only token shows everything and changes nothing.
          </p>
        </div>
        <input type="hidden" name="to" value={to} />
        <Submit class="primary wide">Sign in</Submit>
      </form>
    </Bare>
  );
}

function Bounce({ to }: { to: string }) {
  return (
    <Bare title="One moment" refresh={to}>
      <p class="centred">
        <a href={to}>Continue to Orbweaver</a>
      </p>
    </Bare>
  );
}

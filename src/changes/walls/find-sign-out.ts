import { leadsBack } from "./leads-back.ts";

/**
 * Recognises an answer that somebody gets who is no longer logged in. Nothing is known of the page before, unlike for a
 * wall that a visit finds (find-wall.ts): what is known is how a page looks with the session.
 */

/** An answer to a request with a session. */
export type SessionAnswer =
  /** `marked`: whether it looks as with the session; null if nobody has said how, or it cannot be told. */
  | { kind: "page"; marked: boolean | null; asks: "password" | "human" | null }
  | { kind: "redirect"; target: string | null }
  | { kind: "error"; status: number | null };

export interface SignOut {
  /** Whether it counts without another page that is seen signed out. */
  isCertain: boolean;
  /** The evidence in words, for people. */
  why: string;
}

/** RFC 9110; 419 is Laravel's for a session that has ended, and 440 that of IIS. */
const SIGNED_OUT = new Set([401, 419, 440]);
/** Many sites answer so to strangers, and to anybody for what is not there. */
const HIDING = new Set([403, 404, 410]);

/** Names of log-ins, between the separators of paths and hosts. */
const NAMES =
  "log[-_]?in|log[-_]?on|sign[-_]?in|sign[-_]?on|sso|saml2?|oauth2?|openid|oidc|cas|auth|authenticate|authorize|account[-_]?chooser|anmelden|anmeldung|einloggen|connexion|se[-_]?connecter|identification|iniciar[-_]?sesi[oó]n|ingresar|acceder|accedi|accesso|entrar|iniciar|inloggen|aanmelden|logg[-_]?inn?|logga[-_]?in|logowanie|zaloguj|prihlaseni|prihlasit|bejelentkezes|giris|vhod|войти|вход|登录|登入|ログイン|로그인";
const LOG_IN = new RegExp(`(?:^|[/._?&=-])(?:${NAMES})(?:[/._?&=-]|$)`, "iu");
const MAX_LOOKED_AT = 2_000;

/** `hasMark`: whether somebody has said how a page looks with the session. Null for an answer that is none. */
export function findSignOut(url: string, answer: SessionAnswer, hasMark: boolean): SignOut | null {
  switch (answer.kind) {
    case "page":
      if (answer.marked === true) return null;
      if (answer.marked === false)
        return {
          isCertain: true,
          why: answer.asks === "password" ? "it asks for a password" : "it does not look signed in",
        };
      return answer.asks === "password" && !hasMark ? { isCertain: true, why: "it asks for a password" } : null;
    case "redirect": {
      const { target } = answer;
      if (target === null) return null;
      const [address = ""] = target.split(/[?#]/);
      if (leadsBack(target, url) || isLogIn(target)) return { isCertain: true, why: `it redirects to ${address}` };
      return hasMark && !isSamePage(target, url) ? { isCertain: false, why: `it redirects to ${address}` } : null;
    }
    case "error": {
      const { status } = answer;
      if (status === null) return null;
      const why = `it answers ${status}`;
      if (SIGNED_OUT.has(status)) return { isCertain: true, why };
      return hasMark && HIDING.has(status) ? { isCertain: false, why } : null;
    }
  }
}

/** Whether a URL is named like a log-in: by its host or its path, in one of some languages. */
export function isLogIn(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  return LOG_IN.test(`${parsed.hostname}${readable(parsed.pathname)}`.slice(0, MAX_LOOKED_AT));
}

function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a redirect leads to the same page: by another scheme, with or without `www.` or a slash at the end. */
function isSamePage(target: string, url: string): boolean {
  const bare = (written: string) => written.replace(/^https?:\/\/(?:www\.)?/, "").replace(/\/$/, "");
  return bare(target) === bare(url);
}

import { linesAround, pageLines } from "../page-lines.ts";
import type { PageVersion } from "../page-version.ts";
import { foldText } from "../template/mask-text.ts";
import type { ViewedVersion } from "../view-version.ts";

/** Recognises a version that is no version of its page, although the status was 200: errors, logins, empty pages. */

/**
 * `missing-page`: it says that there is no such page. `blocked`: it asks for a login, a payment or a human, or says
 * that the site is down. `only-template`: nothing is left but what the host's pages have in common or what stood around
 * the page's content, or nothing at all.
 */
export type Suspicion = "missing-page" | "blocked" | "only-template";

/** Characters. A page that explains logins has more text than one that asks for it. */
const MAX_BLOCKED_TEXT = 1_500;
/** Characters of its own that a page must have had before it can have lost them. */
const LEAST_TEXT = 200;
const MOST_LEFT = 0.05;

const BLOCKED = new RegExp(
  [
    "^(?:please )?(?:log|sign) ?in\\b",
    "^login$",
    "\\b(?:log|sign) in to (?:continue|your|view|access|read)\\b",
    "^(?:access (?:is )?denied|forbidden|unauthori[sz]ed|attention required|just a moment|one moment|are you (?:a )?(?:human|robot))",
    "\\bverif(?:y|ying) (?:that )?you are (?:a )?human\\b",
    "\\bcaptcha\\b",
    "\\bchecking your browser\\b",
    "^(?:(?:50[0234]|429)\\b|internal server error|bad gateway|service (?:temporarily )?unavailable|too many requests)",
    "\\b(?:temporarily unavailable|under maintenance|down for maintenance|scheduled maintenance|be right back)\\b",
    "\\bsomething went wrong\\b",
    "\\berror establishing a database connection\\b",
    "^(?:bitte )?(?:anmelden|einloggen|melden sie sich an)\\b",
    "\\bwartungsarbeiten\\b",
    "^(?:se connecter|connexion|accès refusé)\\b",
    "^(?:iniciar sesión|acceso denegado|accedi|accesso negato|inloggen|entrar|acesso negado)\\b",
    "^(?:войти|вход|доступ запрещен|ログイン|登录|登錄|로그인)",
  ].join("|"),
  "iu",
);

export function suspicionOf(
  before: PageVersion,
  after: PageVersion,
  viewed: { before: ViewedVersion; after: ViewedVersion },
): Suspicion | null {
  if (after.looksMissing && !before.looksMissing) return "missing-page";
  if (looksBlocked(after) && !looksBlocked(before)) return "blocked";
  const had = textLength(viewed.before.blocks);
  if (had < LEAST_TEXT || viewed.after.rest !== "") return null;
  // Most edits leave a page most of its blocks, and to fold all of its lines takes time.
  const own = new Set(viewed.before.blocks);
  if (textLength(viewed.after.blocks.filter((block) => own.has(block))) >= had * MOST_LEFT) return null;
  // Where the content is missing, the reader takes for content what stood around it.
  const around = new Set(linesAround(pageLines(viewed.before.pageText), viewed.before));
  const left = viewed.after.blocks.filter((block) => !pageLines(block).every((line) => around.has(line)));
  return textLength(left) < had * MOST_LEFT ? "only-template" : null;
}

/** Its title or its first heading says so, and it has little other text. */
function looksBlocked({ title, blocks, headings, rest }: PageVersion): boolean {
  if (rest !== null || textLength(blocks) > MAX_BLOCKED_TEXT) return false;
  const heading = blocks[headings[0]?.[0] ?? 0] ?? "";
  return [title ?? "", heading].some((text) => BLOCKED.test(foldText(text)));
}

function textLength(blocks: readonly string[]): number {
  return blocks.reduce((sum, { length }) => sum + length, 0);
}

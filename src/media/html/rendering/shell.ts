import type { Page } from "../page.ts";
import type { HtmlDocument } from "../tree/linkedom.ts";
import { readShellSigns, type ShellSigns } from "./shell-signs.ts";

/**
 * Decides whether a page is a shell: scripts make what it shows, so without a browser its text is lost. A page that is
 * taken for a shell wrongly costs a second of a browser, and one that is not recognized costs its text. So a page with
 * hardly any text and scripts of its own is a shell, and a page between is a doubt, which only what is known of its
 * host decides (crawl/page/render-memory.ts).
 */

interface ShellVerdict {
  /** Why the page is a shell, for people; null if it is none. */
  shell: string | null;
  /** Why it may be one nevertheless, for people; null if nothing says so, and for a shell. */
  shellDoubt: string | null;
}

const WHOLE: ShellVerdict = { shell: null, shellDoubt: null };

/** Characters. A page with more text is never looked at, so that it costs nothing. */
const MOST_SHELL_TEXT = 2_000;
/** Characters outside links around an empty root, or beside a `noscript` that asks for scripts. */
const MOST_AROUND = 300;
/** Characters of a page that has neither. */
const MOST_BARE = 120;
/** Characters of a page without any such sign that may be drawn by its scripts all the same. */
const MOST_DOUBTFUL = 400;
const FEW_LINKS = 5;
const FEW_PICTURES = 2;

/** Most pages have too much text, or no scripts, so that nothing more is read of them. */
export function judgeShell(document: HtmlDocument, page: Pick<Page, "textLength" | "hasScripts">): ShellVerdict {
  const { textLength, hasScripts } = page;
  if (!hasScripts || textLength === null || textLength > MOST_SHELL_TEXT) return WHOLE;
  return judgeSigns(readShellSigns(document));
}

/** A frameset, a redirect, a login and a page without scripts of its own are whole, however short they are. */
function judgeSigns(signs: ShellSigns): ShellVerdict {
  const { text, linkText, links, pictures, emptyRoot, noscript, template } = signs;
  if (signs.scripts === 0 || signs.hasFrames || signs.isRedirect) return WHOLE;
  if (template !== null) return isShell(`its text is a template that scripts fill in, such as ${template}`);
  if (signs.hasPassword) return WHOLE;
  const around = text - linkText;
  if (emptyRoot !== null) {
    if (around <= MOST_AROUND) return isShell(`its ${emptyRoot} is empty, and scripts fill it`);
    return { shell: null, shellDoubt: `its ${emptyRoot} is empty beside ${text} characters of other text` };
  }
  if (noscript !== null && around <= MOST_AROUND) return isShell(`it asks for scripts: “${noscript}”`);
  if (signs.hasFragmentMeta && around <= MOST_AROUND)
    return isShell("its meta element “fragment” says that scripts draw it");
  const isBare = links <= FEW_LINKS && pictures <= FEW_PICTURES;
  if (!isBare || text > MOST_DOUBTFUL) return WHOLE;
  const much = `it has ${text} characters of text beside ${signs.scripts} ${signs.scripts === 1 ? "script" : "scripts"}`;
  // A short page with a script of its own inside is mostly what it seems: a form, or a note.
  const isLikely = text === 0 || signs.hasScriptFile;
  if (text <= MOST_BARE && pictures === 0 && isLikely) return isShell(much);
  return isLikely || text <= MOST_BARE ? { shell: null, shellDoubt: much } : WHOLE;
}

function isShell(shell: string): ShellVerdict {
  return { shell, shellDoubt: null };
}

/** How the owner of a crawled site reaches the operator. */

interface Contact {
  text: string;
  href: string;
}

const MAIL = /[^\s@<>()";,]+@[^\s@<>()";,]+\.[^\s@<>()";,]+/;
const URL_IN_COMMENT = /https?:\/\/[^\s;,)]+/;

/** From the variable CONTACT, or else from the comment of the user agent. Null if neither has an address. */
export function contactOf(setting: string | undefined, userAgent: string): Contact | null {
  for (const text of [setting ?? "", userAgent]) {
    const url = URL_IN_COMMENT.exec(text)?.[0];
    if (url !== undefined && URL.canParse(url)) return { text: url, href: url };
    const mail = MAIL.exec(text)?.[0];
    if (mail !== undefined) return { text: mail, href: `mailto:${encodeURI(mail)}` };
  }
  return null;
}

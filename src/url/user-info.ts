/** Whether a URL has a user name or a password (RFC 3986 3.2.1). A crawl sends neither. */
export function hasUserInfo(url: string): boolean {
  const { username = "", password = "" } = URL.parse(url) ?? {};
  return username + password !== "";
}

/** A text that begins with such a URL, without the name and the password. */
export function hideUserInfo(text: string): string {
  return hasUserInfo(text) ? text.replace(/^[^:]*:[/\\]*[^/?#\\]*@/, "...@") : text;
}

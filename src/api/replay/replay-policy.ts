/**
 * The Content-Security-Policy of a mirrored page. The page may load files and send forms only below the replay's own
 * address, and may follow links. The sandbox allows no scripts and gives the page an opaque origin, so it can never
 * reach our cookies, storage and answers.
 */

/** `prefix`: the start of all addresses of the replay, with the origin. */
export function replayHeaders(prefix: string): Record<string, string> {
  const policy = [
    // A click may navigate the top window, so that links can leave frames.
    "sandbox allow-forms allow-top-navigation-by-user-activation",
    "default-src 'none'",
    `img-src ${prefix} data:`,
    `style-src ${prefix} data: 'unsafe-inline'`,
    `font-src ${prefix} data:`,
    `media-src ${prefix} data:`,
    `frame-src ${prefix}`,
    `form-action ${prefix}`,
    "base-uri 'none'",
  ];
  return { "content-security-policy": policy.join("; "), ...SHARED };
}

/** For a page with an opaque origin, all files are cross-origin. The key in the address protects them. */
export const SHARED = {
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
};

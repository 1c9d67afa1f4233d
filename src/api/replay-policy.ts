/**
 * What a browser may do with a mirrored page whose links lead into its replay: show it, load what is under the replay's own address and
 * nothing from anywhere else, send forms there, and follow links. Nothing in it runs: the sandbox allows no scripts, and makes its origin
 * nobody's, so that our cookies, storage and answers are out of reach for it in any case.
 */

/** `prefix`: what addresses of the replay begin with, origin included. */
export function replayHeaders(prefix: string): Record<string, string> {
  const policy = [
    // By a click, so that a page can lead out of its frames.
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

/** To a page whose origin is nobody's all of it comes from another; whoever asks has to know the key. */
export const SHARED = {
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
};

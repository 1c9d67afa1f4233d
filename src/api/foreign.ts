/** Headers of answers with mirrored pages: they must not run in our origin, and other sites must not embed them. */
export const FOREIGN = {
  // Inline styles and data images send no request, so they are allowed.
  // Directives that default-src does not cover: https://www.w3.org/TR/CSP3/#directive-default-src
  "content-security-policy":
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "cross-origin-resource-policy": "same-origin",
};

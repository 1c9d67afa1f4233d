/** Headers of an answer that holds somebody else's pages: they must not run as ours, nor be taken in by another site. */
export const FOREIGN = {
  // Its own styles and what pictures it has in itself reach nobody, as long as they fetch nothing.
  // What default-src leaves out is named beside it: https://www.w3.org/TR/CSP3/#directive-default-src
  "content-security-policy":
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "cross-origin-resource-policy": "same-origin",
};

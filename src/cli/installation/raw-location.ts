/**
 * Escapes each byte of a Location beyond ASCII as it is, as browsers do. Node reads each byte of a header as one
 * character.
 * https://github.com/web-platform-tests/wpt/blob/master/fetch/api/redirect/redirect-location-escape.tentative.any.js
 */
export function escapeLocation(location: string): string {
  return location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * The media type of a Content-Type without its parameters, in lower case; empty if there is none (RFC 9110, section
 * 8.3.1).
 */
export function essenceOf(contentType: string | null): string {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

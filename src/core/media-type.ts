/**
 * What a Content-Type names, without its parameters: lower case, and empty where there is none (RFC 9110, section
 * 8.3.1).
 */
export function essenceOf(contentType: string | null): string {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

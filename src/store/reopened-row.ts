/**
 * What a row of `urls` becomes when it is fetched again: it waits like a new one, and nothing is left of its outcome.
 * The records of its earlier answer stay in their pack, and its place in the archive's index goes, as when another
 * answer replaces it.
 */
export const REOPENED = `status = 'pending', reason = NULL, detail = NULL, attempts = 0, http_status = NULL, title = NULL, content_type = NULL,
  bytes = NULL, sha256 = NULL, fetched_at = NULL, duration_ms = NULL, pack = NULL, pack_offset = NULL, pack_length = NULL, revisits = NULL,
  content_offset = NULL, content_length = NULL, links_pack = NULL, links_offset = NULL, links_length = NULL, truncated = NULL, due_at = NULL, etag = NULL, last_modified = NULL,
  media = NULL, fingerprint = NULL, words = NULL, shell = NULL, rendered = NULL, language = NULL, fields = NULL, relevance = NULL, twin_of = NULL, validators_unstored = NULL, visits = visits + 1, visited_at = NULL, visit_at = NULL,
  visit_failures = 0, missing_at = NULL, told = NULL`;

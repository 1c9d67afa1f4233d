/** The sum of two usages, each JSON of numbers by resource, as a SQL expression. */
export function sumOfUsages(one: string, other: string): string {
  return `(SELECT json_group_object(key, amount) FROM (
    SELECT key, sum(value) AS amount FROM (SELECT key, value FROM json_each(${one}) UNION ALL SELECT key, value FROM json_each(${other}))
    GROUP BY key))`;
}

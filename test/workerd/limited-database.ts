/** D1 with its limit for a parameter, which the local D1 does not have. */

/** https://developers.cloudflare.com/d1/platform/limits/ */
const MAX_PARAMETER_BYTES = 2_000_000;

const encoder = new TextEncoder();

export function limitedDatabase(db: D1Database): D1Database {
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values: unknown[]) => {
      for (const value of values)
        if (typeof value === "string" && encoder.encode(value).byteLength > MAX_PARAMETER_BYTES)
          throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
      return bind(...values);
    };
    return statement;
  };
  return { prepare, batch: db.batch.bind(db) } as unknown as D1Database;
}

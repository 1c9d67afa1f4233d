/** Statements of one transaction, and how to read their results. */
export interface Plan<T> {
  statements: D1PreparedStatement[];
  read(results: D1Result[]): T;
}

/** Runs a plan as one transaction. */
export async function runPlan<T>(db: D1Database, { statements, read }: Plan<T>): Promise<T> {
  return read(await db.batch(statements));
}

/** Joins plans to one transaction, in order; each reads its own results. */
export function joinPlans<T>(plans: readonly Plan<T>[]): Plan<T[]> {
  return {
    statements: plans.flatMap(({ statements }) => statements),
    read(results) {
      let at = 0;
      return plans.map(({ statements, read }) => {
        const own = results.slice(at, at + statements.length);
        at += statements.length;
        return read(own);
      });
    },
  };
}

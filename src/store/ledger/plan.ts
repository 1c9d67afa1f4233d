/** Statements of one transaction, and how to read their results. */
export interface Plan<T> {
  statements: D1PreparedStatement[];
  read(results: D1Result[]): T;
  /**
   * Completes the answer of a transaction that ran again after a transient error: its first try may have taken effect,
   * and then the second try changed nothing and returned nothing.
   */
  recall?: { statements: D1PreparedStatement[]; read(answer: T, results: D1Result[]): T };
}

/** Runs a plan as one transaction, and recalls its answer if it may be lost. */
export async function runPlan<T>(db: D1Database, { statements, read, recall }: Plan<T>): Promise<T> {
  const results = await db.batch(statements);
  const answer = read(results);
  const isRetried = results.some(({ meta }) => (meta.total_attempts ?? 1) > 1);
  return recall !== undefined && isRetried ? recall.read(answer, await db.batch(recall.statements)) : answer;
}

/** Joins plans to one transaction, in order; each reads its own results. */
export function joinPlans<T>(plans: readonly Plan<T>[]): Plan<T[]> {
  const recalls = plans.map(({ recall }) => recall?.statements ?? []);
  return {
    statements: plans.flatMap(({ statements }) => statements),
    read: (results) =>
      divide(
        results,
        plans.map(({ statements }) => statements),
      ).map((own, i) => (plans[i] as Plan<T>).read(own)),
    recall: {
      statements: recalls.flat(),
      read: (answers, results) =>
        divide(results, recalls).map((own, i) => {
          const answer = answers[i] as T;
          return plans[i]?.recall?.read(answer, own) ?? answer;
        }),
    },
  };
}

/** Gives each list of statements its results. */
function divide(results: D1Result[], lists: readonly D1PreparedStatement[][]): D1Result[][] {
  let at = 0;
  return lists.map(({ length }) => {
    at += length;
    return results.slice(at - length, at);
  });
}

/** A number that names a transaction: rows store it, so that a retried transaction finds what its first try did. */
export function nameTransaction(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

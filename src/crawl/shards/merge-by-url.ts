/** Merges lists that are in the order of their URLs. One row of each is in memory. */
export async function* mergeByUrl<Row extends { url: string }>(
  lists: readonly AsyncGenerator<Row>[],
): AsyncGenerator<Row> {
  const heads = await Promise.all(lists.map(async (list) => ({ list, row: (await list.next()).value ?? null })));
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads)
      if (head.row !== null && (first?.row == null || head.row.url < first.row.url)) first = head;
    if (first?.row == null) return;
    yield first.row;
    first.row = (await first.list.next()).value ?? null;
  }
}

import type { FC } from "hono/jsx";

/** Names and values; empty values are left out. */
export const Pairs: FC<{ of: Record<string, unknown> }> = ({ of }) => {
  const filled = Object.entries(of).filter(([, value]) => value !== null && value !== "" && !isEmpty(value));
  if (filled.length === 0) return <p class="muted">No data.</p>;
  return (
    <dl class="pairs">
      {filled.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {typeof value === "object" ? <pre tabindex={0}>{JSON.stringify(value, null, 2)}</pre> : String(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
};

/** Whether it is an empty list or object. */
function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

import type { FC } from "hono/jsx";

/** What has a value, by name. */
export const Pairs: FC<{ of: Record<string, unknown> }> = ({ of }) => {
  const known = Object.entries(of).filter(([, value]) => value !== null && value !== "" && !isEmpty(value));
  if (known.length === 0) return <p class="muted">Nothing is known of it.</p>;
  return (
    <dl class="pairs">
      {known.map(([name, value]) => (
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

/** A list, or names and values. */
function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

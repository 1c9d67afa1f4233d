import type { FC, JSX } from "hono/jsx";

/** The controls that several forms share. */

export const UrlInput: FC<JSX.IntrinsicElements["input"]> = (props) => (
  <input
    type="text"
    inputmode="url"
    autocapitalize="none"
    spellcheck={false}
    placeholder="https://example.com/some/page"
    {...props}
  />
);

/** A submit button. `class` is added to its own. */
export const Submit: FC<JSX.IntrinsicElements["button"]> = ({ class: style, children, ...props }) => (
  <button class={style === undefined ? "button" : `button ${style}`} type="submit" {...props}>
    {children}
  </button>
);

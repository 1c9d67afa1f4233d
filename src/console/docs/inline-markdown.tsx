import type { Child, FC } from "hono/jsx";

/** The marks that sentences of the API's description have: code, links and strong words. All of them are our own. */

const MARKS = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*/g;

interface InlineProps {
  text: string;
  /** The page of a link within the reference. */
  base: string;
}

export const Inline: FC<InlineProps> = ({ text, base }) => <>{piecesOf(text, base)}</>;

function piecesOf(text: string, base: string): Child[] {
  const pieces: Child[] = [];
  let end = 0;
  for (const { 0: whole, 1: code, 2: label = "", 3: target, 4: strong, index } of text.matchAll(MARKS)) {
    pieces.push(text.slice(end, index));
    end = index + whole.length;
    if (code !== undefined) pieces.push(<code>{code}</code>);
    else if (target === undefined) pieces.push(<strong>{strong}</strong>);
    else pieces.push(<a href={target.startsWith("#") ? base + target : target}>{piecesOf(label, base)}</a>);
  }
  pieces.push(text.slice(end));
  return pieces;
}

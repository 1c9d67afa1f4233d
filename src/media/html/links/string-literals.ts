/**
 * Finds the string literals of a script, or of JSON, without parsing it. A scanner can be wrong about what is code. It
 * recovers at the end of the line, which neither a string nor a regular expression can cross.
 *
 * It is linear: it passes every character once, with three exceptions. A slash, or the end of a string, looks again at
 * the white space next to it. A regular expression that does not end turns all slashes up to the end of its line into
 * divisions. A template that does not end turns all backticks after it into ordinary characters.
 */

const KEYWORD_BEFORE_REGEX =
  /(?<![\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|instanceof|await|yield|new)$/;
const LONGEST_KEYWORD = "instanceof".length;

/**
 * Yields literals as written, with their escapes. It leaves out literals that are only the beginning of a value:
 * templates with a `${`, and strings that a `+` continues. It includes the strings between `${` and `}`.
 * https://tc39.es/ecma262/#sec-literals-string-literals
 */
export function* stringLiterals(script: string): Generator<string> {
  const special = /["'`/{}]/g;
  const lastCommentEnd = script.lastIndexOf("*/");
  /** For each template that a `${` interrupts, the number of braces opened since. */
  const interrupted: number[] = [];
  let divisionUntil = 0;
  let templates = true;

  while (special.test(script)) {
    const at = special.lastIndex - 1;
    const found = script[at];
    if (found === '"' || found === "'") {
      const end = endOfQuoted(script, at);
      const closed = script[end] === found;
      if (closed && !isContinued(script, end + 1)) yield script.slice(at + 1, end);
      special.lastIndex = closed ? end + 1 : end;
    } else if (found === "/") {
      if (script[at + 1] === "/") special.lastIndex = endOfLine(script, at);
      else if (script[at + 1] === "*" && lastCommentEnd >= at + 2) special.lastIndex = script.indexOf("*/", at + 2) + 2;
      else if (at >= divisionUntil && mayStartRegex(script, at)) {
        const end = endOfRegex(script, at);
        if (script[end] === "/") special.lastIndex = end + 1;
        else divisionUntil = end;
      }
    } else if (found === "{") {
      if (interrupted.length > 0) interrupted.push((interrupted.pop() ?? 0) + 1);
    } else {
      const braces = found === "}" ? interrupted.pop() : undefined;
      if (braces !== undefined && braces > 0) interrupted.push(braces - 1);
      else if (braces === 0 || (found === "`" && templates)) {
        const end = endOfTemplateText(script, at + 1);
        if (end === -1) {
          templates = false;
          interrupted.length = 0;
          continue;
        }
        const closed = script[end] === "`";
        if (!closed) interrupted.push(0);
        else if (found === "`" && !isContinued(script, end + 1)) yield script.slice(at + 1, end);
        special.lastIndex = closed ? end + 1 : end + 2;
      }
    }
  }
}

/** The position of the closing quote, or else of the end of the line. */
function endOfQuoted(script: string, at: number): number {
  const quote = script.charCodeAt(at);
  for (let end = at + 1; end < script.length; end++) {
    const code = script.charCodeAt(end);
    if (code === quote || isNewline(code)) return end;
    if (code === 92 /* \ */) end += 1;
  }
  return script.length;
}

/** The position of the closing backtick, or of the `$` of a `${`; -1 if there is neither. */
function endOfTemplateText(script: string, from: number): number {
  for (let end = from; end < script.length; end++) {
    const code = script.charCodeAt(end);
    if (code === 96 /* ` */ || (code === 36 /* $ */ && script.charCodeAt(end + 1) === 123) /* { */) return end;
    if (code === 92 /* \ */) end += 1;
  }
  return -1;
}

/** The position of the closing slash, or else of the end of the line. */
function endOfRegex(script: string, at: number): number {
  let inClass = false;
  for (let end = at + 1; end < script.length; end++) {
    const code = script.charCodeAt(end);
    if (isNewline(code) || (code === 47 /* / */ && !inClass)) return end;
    if (code === 91 /* [ */) inClass = true;
    else if (code === 93 /* ] */) inClass = false;
    else if (code === 92 /* \ */ && !isNewline(script.charCodeAt(end + 1))) end += 1;
  }
  return script.length;
}

function endOfLine(script: string, from: number): number {
  let end = from;
  while (end < script.length && !isNewline(script.charCodeAt(end))) end++;
  return end;
}

/**
 * After a value, a slash divides: after a name, a number, a string, or a closing bracket, although that may close an
 * `if` instead.
 */
function mayStartRegex(script: string, at: number): boolean {
  let before = at - 1;
  while (isSpace(script.charCodeAt(before))) before--;
  const last = script[before];
  if (last === undefined) return true;
  if (/[\w$]/.test(last))
    return KEYWORD_BEFORE_REGEX.test(script.slice(Math.max(0, before - LONGEST_KEYWORD), before + 1));
  return !/[)\]}"'`\u0080-\uffff]/.test(last);
}

function isContinued(script: string, from: number): boolean {
  let next = from;
  while (isSpace(script.charCodeAt(next))) next++;
  return script[next] === "+";
}

function isNewline(code: number): boolean {
  return code === 10 || code === 13;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || isNewline(code);
}

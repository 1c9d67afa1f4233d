/** The package has no types. */
declare module "@joplin/turndown-plugin-gfm" {
  export const strikethrough: unknown;
  export const taskListItems: unknown;
}

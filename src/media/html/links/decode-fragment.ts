/** The id that the fragment of a link names, without its `#`. */
export function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // It is written with a percent sign that begins no escape.
    return fragment;
  }
}

/** What the program calls itself: to those who ask, and in what it writes. */

export const VERSION = "0.1.0";
/** As archives name what made them. */
export const SOFTWARE = "Orbweaver/0.1";

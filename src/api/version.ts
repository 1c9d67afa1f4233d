/** What the program calls itself to those who ask. */
export const VERSION = "0.1.0";

/** The style of the HTML report: light and dark, by the reader's setting. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dce3, #3a404b); --soft: light-dark(#f4f6f9, #1d2129);
  --error: light-dark(#b3261e, #ff8a80); --warning: light-dark(#8a5a00, #ffca6b); --notice: light-dark(#3d5a80, #9ec1e8);
  --good: light-dark(#1b6e3c, #7fd6a0); }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: light-dark(#1b1f27, #e7eaf0);
  background: light-dark(#fff, #14171c); }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin: 3rem 0 0; }
a { color: light-dark(#0b57d0, #a8c7fa); overflow-wrap: anywhere; } bdi { overflow-wrap: anywhere; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
.summary { width: auto; } .summary td:nth-child(n + 3) { text-align: right; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { font-weight: 600; } tbody th { font-weight: 500; } .group th { background: var(--soft); }
.tag { font-size: 0.75rem; font-weight: 600; padding: 0.05rem 0.45rem; border: 1px solid; border-radius: 1rem; }
.tag.error { color: var(--error); } .tag.warning { color: var(--warning); } .tag.notice { color: var(--notice); }
.tag.new { color: var(--error); } .tag.mended { color: var(--good); } tr.mended td { opacity: 0.75; }
@media print { a { color: inherit; } section { break-before: page; } tr { break-inside: avoid; } thead { display: table-header-group; }
  .wide { overflow: visible; } main { max-width: none; padding: 0; } p > a[href="#top"] { display: none; } }
`;

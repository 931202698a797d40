/**
 * Also for paper: black on white, no scrolling, every column, and page numbers. All rules are below .report, because the console prints the
 * same page from within its own document.
 */
export const reportStyle = `
body{margin:0}
.report{color-scheme:light dark;--line:#d0d4da;--muted:#5b6472;--good:#0b6b3a;--bad:#b3261e;--warn:#7a4b00;
margin:0 auto;max-width:72rem;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif}
.report h1{font-size:1.6rem;margin:0 0 .5rem}.report h2{font-size:1.15rem;margin:2rem 0 .5rem}
.report code{font-size:.85em;overflow-wrap:anywhere}
.report dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.75rem;margin:1rem 0}
.report dt{color:var(--muted);font-size:.85rem}.report dd{margin:0;font-weight:600}
.report .cell{overflow-wrap:anywhere}.report .scroll{overflow-x:auto}.report .scroll table{min-width:62rem}
.report table{border-collapse:collapse;width:100%;font-size:.85rem}
.report th,.report td{border-bottom:1px solid var(--line);padding:.4rem .5rem;text-align:left;vertical-align:top}
.report .result{font-weight:600}.report .passed{color:var(--good)}.report .failed{color:var(--bad)}
.report .not_tested,.report .not_proven,.report .warning{color:var(--warn)}
.report .warning{font-weight:600}.report .remark{margin:.2rem 0 0;min-width:13rem;max-width:24rem;overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){.report{--line:#3a424e;--muted:#a3adbb;--good:#6dd49b;--bad:#ff9d94;--warn:#f0c674}}
.report h2 .result{border:1px solid;border-radius:1rem;padding:.1rem .6rem;font-size:.75em;margin-left:.35rem;vertical-align:.1em;white-space:nowrap}
@page{margin:15mm 12mm 18mm;@bottom-right{content:"Page " counter(page) " of " counter(pages);font:8pt system-ui,sans-serif;color:#444}}
@media print{.report{color-scheme:light;--line:#999;--muted:#444;--good:#000;--bad:#000;--warn:#000;
max-width:none;padding:0;font-size:10pt;color:#000;background:#fff}
.report h1{font-size:16pt}.report h2{font-size:12pt;margin-top:14pt}
.report dl{grid-template-columns:repeat(4,1fr);gap:6pt}.report dt{font-size:8pt}
.report .scroll{overflow:visible}.report .scroll table{min-width:0}
.report table{table-layout:fixed;font-size:7.5pt}.report th,.report td{padding:3pt 2pt;overflow-wrap:anywhere}
.report .remark{min-width:0;max-width:none}
.report th{font-size:6.5pt}.report td code{font-size:6.5pt}
.report col{width:10%}.report col.result{width:14%}.report col.plan{width:8%}.report col.evidence{width:18%}
.report tr,.report dl,.report h2,.report .warning{break-inside:avoid}.report h2{break-after:avoid}
.report thead{display:table-header-group}}
`;

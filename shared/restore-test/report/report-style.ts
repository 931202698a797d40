/** Also for paper: black on white, no section torn apart, no scrolling. */
export const reportStyle = `
:root{color-scheme:light dark;--line:#d0d4da;--muted:#5b6472;--good:#0b6b3a;--bad:#b3261e;--warn:#7a4b00}
body{margin:0 auto;max-width:72rem;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
code{font-size:.85em;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.75rem;margin:1rem 0}
dt{color:var(--muted);font-size:.85rem}dd{margin:0;font-weight:600}
.scroll{overflow-x:auto}.scroll table{min-width:58rem}
table{border-collapse:collapse;width:100%;font-size:.85rem}
th,td{border-bottom:1px solid var(--line);padding:.4rem .5rem;text-align:left;vertical-align:top}
.result{font-weight:600}.passed{color:var(--good)}.failed{color:var(--bad)}.not_tested,.not_proven,.warning{color:var(--warn)}
.warning{font-weight:600}.remark{margin:.2rem 0 0;min-width:13rem;max-width:24rem;overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){:root{--line:#3a424e;--muted:#a3adbb;--good:#6dd49b;--bad:#ff9d94;--warn:#f0c674}}
h2 .result{border:1px solid;border-radius:1rem;padding:.1rem .6rem;font-size:.75em;margin-left:.35rem;vertical-align:.1em;white-space:nowrap}
@media print{:root{color-scheme:light;--line:#999;--muted:#444;--good:#000;--bad:#000;--warn:#000}
body{max-width:none;padding:0;font-size:10pt;color:#000;background:#fff}
.scroll{overflow:visible}.scroll table{min-width:0}.remark{min-width:0}table{font-size:8pt}tr,dl,h2,.warning{break-inside:avoid}h2{break-after:avoid}thead{display:table-header-group}}
`;

/** The inline style sheet. The Content-Security-Policy allows it by its digest. */
export const style = `
:root{color-scheme:light dark;--ink:#1b1f24;--quiet:#59636e;--paper:#fff;--panel:#f6f8fa;--line:#d1d9e0;--accent:#0550ae;--get:#0550ae;--post:#116329;--put:#7d4e00;--patch:#7d4e00;--delete:#a40e26}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--quiet:#9198a1;--paper:#0d1117;--panel:#151b23;--line:#3d444d;--accent:#79c0ff;--get:#79c0ff;--post:#7ee787;--put:#e3b341;--patch:#e3b341;--delete:#ff9a94}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);display:grid;grid-template-columns:18rem minmax(0,1fr)}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;background:var(--panel);border-right:1px solid var(--line);font-size:.875rem}
nav h2{font-size:.75rem;margin:1.25rem 0 .25rem;text-transform:uppercase;letter-spacing:.05em;color:var(--quiet);border:0;padding:0}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:flex;gap:.5rem;padding:.2rem .25rem;color:var(--ink);text-decoration:none;border-radius:.25rem}
nav a:hover{background:var(--line)}
nav .method{flex:0 0 3.75em;font-size:.65rem;line-height:1.9}
main{padding:2rem clamp(1rem,4vw,3.5rem);max-width:66rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.5rem;margin:3rem 0 1rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.15rem;margin:0}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
h4{margin:1.25rem 0 .4rem;font-size:.9rem}
code,pre{font:.85em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;padding:.9rem 1rem;overflow:auto;margin:.4rem 0;max-height:28rem}
.operation{margin:1.5rem 0;padding:1.25rem 1.5rem;border:1px solid var(--line);border-radius:.75rem}
.operation:target{border-color:var(--accent)}
.address{margin:.4rem 0;overflow-wrap:anywhere}
.address code{font-size:.95em}
.method{font:700 .75rem/1.6 ui-monospace,Menlo,Consolas,monospace;margin-right:.6rem;color:var(--quiet)}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.status{font-weight:600}
.quiet{color:var(--quiet);font-weight:400}
.required{margin-left:.5rem;font-size:.7rem;color:var(--delete)}
table{width:100%;border-collapse:collapse;font-size:.875rem;display:block;overflow-x:auto}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line)}
th{color:var(--quiet);font-weight:600}
td:last-child,th:last-child{width:100%}
summary{cursor:pointer;font-size:.9rem;font-weight:600;padding:.3rem 0}
@media(max-width:56rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}}
@media print{body{display:block}nav{display:none}pre{max-height:none}}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
`;

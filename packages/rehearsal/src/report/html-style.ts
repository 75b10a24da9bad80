/** The style of the HTML report, light and dark. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5d646d; --line: #d9dde2; --paper: #fff; --panel: #f5f6f8;
  --accent: #8a5a00; --tint: #fff4dc; --good: #1a6b35; --bad: #a92a22; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a3abb5; --line: #3a4048; --paper: #16181b; --panel: #1f2226;
  --accent: #f0b952; --tint: #33290f; --good: #6fd08c; --bad: #ff8f85; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: clamp(1.5rem, 4vw, 2.4rem); line-height: 1.2; }
h2 { margin: 2.25rem 0 .6rem; font-size: 1.1rem; }
.kind, .about, .legend { margin: .35rem 0; color: var(--soft); overflow-wrap: anywhere; }
.kind { text-transform: uppercase; letter-spacing: .06em; font-size: .8rem; }
.sign { color: var(--accent); } .same .sign { color: var(--good); } .failed .sign { color: var(--bad); }
.bar { height: 12px; margin-top: 1.1rem; border-radius: 6px; background: color-mix(in srgb, var(--good) 35%, var(--panel)); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--accent); }
.legend { font-size: .85rem; }
table { width: 100%; border-collapse: collapse; }
th[scope=row] { min-width: 8rem; width: 32%; }
th, td { padding: .5rem .6rem .5rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: inherit; }
thead th, thead td { border: 0; padding-bottom: .2rem; color: var(--soft); font-size: .85rem; }
.times { color: var(--soft); white-space: nowrap; } .where { color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
.before { color: var(--soft); }
strong { color: var(--accent); } .now-refused, .not-reached, .now-missing, .now-invalid { color: var(--bad); } .now-runs { color: var(--good); }
.reason { display: block; color: var(--soft); font-size: .87rem; overflow-wrap: anywhere; }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 8px; padding: .55rem .9rem; background: var(--panel); }
summary { cursor: pointer; } summary span { color: var(--soft); } details.changed > summary span { color: var(--accent); }
.part { margin: .7rem 0 0; } .prompt { margin: 0 0 .3rem; overflow-wrap: anywhere; }
.turn { color: var(--soft); font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; margin-right: .4rem; }
ol, ul { margin: 0; padding: 0 0 0 .2rem; list-style: none; }
li { padding: .22rem .6rem; border-left: 3px solid var(--line); overflow-wrap: anywhere; }
li.changed { border-left-color: var(--accent); background: var(--tint); }
.outcome { color: var(--soft); font-size: .87rem; }
@media (max-width: 40rem) { .where, thead th:last-child { display: none; } }
@media print { details { break-inside: avoid; } }
`;

/** The style of the approval: the sentence, its figures, the warnings, and the decision beside them. */
export const approvalStyle = `
.ap { display: grid; grid-template-columns: minmax(0, 1fr) 20rem; gap: 1rem; align-items: start; }
.ap > *, .ap .col { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
.hero :is(h1, h2) { font-size: 1.75rem; line-height: 1.3; letter-spacing: -.015em; font-variant-numeric: tabular-nums; margin: 0; }
.hero .file { font-size: 1.0625rem; font-weight: 600; overflow-wrap: anywhere; margin: 0; }
.hero p { margin: .25rem 0 0; }
.hero .fig { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; margin: 1rem 0 0; padding: 1rem 0 0; border: 0; border-top: 1px solid var(--line); }
.hero .fig dt { font-size: .8125rem; color: var(--soft); overflow-wrap: anywhere; }
.hero .fig dd { margin: 0; }
.hero .fig dd.n { font-size: 1.1875rem; font-weight: 600; line-height: 1.4; }
.hero .fig dd.ask { color: var(--unknown); }
ul.warn { margin: 0; padding: 0; list-style: none; }
.warn > li { display: grid; grid-template-columns: 1.25rem minmax(0, 1fr) auto; gap: 0 .75rem; padding: .55rem 0; border-top: 1px solid var(--line); }
.warn > li:first-child { border: 0; padding-top: 0; }
.warn small { display: block; }
.warn b { overflow-wrap: anywhere; }
.warn details ul { margin: 0; padding-left: 1.1rem; }
.ok { margin: .75rem 0 0; }
.warn + .ok { padding-top: .75rem; border-top: 1px solid var(--line); }
.cmp th { font-weight: 400; }
.cmp tfoot th { font-weight: 600; }
.sign { position: sticky; top: 4.25rem; border-color: var(--accent); border-top: 3px solid var(--accent); }
.sign > * + * { margin-top: .75rem; }
.sign p { margin-bottom: 0; }
.sign form.inline, .sign .full { display: flex; width: 100%; justify-content: center; text-align: center; }
.sign form.inline > button { width: 100%; justify-content: center; }
.sign .full { font-size: 1rem; white-space: normal; line-height: 1.35; padding: .5rem .75rem; }
.sign textarea { margin-bottom: .75rem; }
.sign .why { background: var(--raise); border-radius: .5rem; padding: .75rem; }
.sign .why p { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 63.99rem) {
  .ap { display: block; }
  .ap > * + * { margin-top: .75rem; }
  .ap > *, .ap .col { gap: .75rem; }
  .sign { position: static; }
  .hero .fig { grid-template-columns: 1fr 1fr; }
  .hero :is(h1, h2) { font-size: 1.5rem; }
}
@media print {
  .ap { display: block; }
  .ap > * + * { margin-top: 4mm; }
  .sign { position: static; }
}
`;

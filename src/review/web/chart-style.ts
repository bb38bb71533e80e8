/** The style of charts, and of the page Today. */

export const chartStyle = `
svg { display: block; width: 100%; overflow: visible; }
svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
svg a:hover rect { opacity: .8; }
.f-paid { fill: var(--paid-fill); }
.f-unknown { fill: var(--unknown-fill); }
.f-alarm { fill: var(--alarm-fill); }
.f-none { fill: var(--none-fill); }
.f-wait { fill: var(--wait-fill); stroke: var(--wait-edge); stroke-dasharray: 3 2; }
.f-acc { fill: var(--accent); }
.shade { fill: var(--unknown-tint); }
.hit { fill: transparent; }
.hit:hover { fill: var(--line); }
line.grid { stroke: var(--line); }
line.axis { stroke: var(--edge); }
svg .t-ink { fill: var(--ink); font-weight: 600; }
svg .t-alarm { fill: var(--alarm); font-weight: 600; }
svg .t-unknown { fill: var(--unknown); font-weight: 600; }
.ns { vector-effect: non-scaling-stroke; }
.l1, .l2 { fill: none; stroke: var(--accent); stroke-width: 2; }
.l2 { stroke: var(--none-fill); stroke-width: 1.5; }
.c14 { margin-left: 2.8rem; width: calc(100% - 2.8rem); }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .75rem 0 0; padding: 0; list-style: none; font-size: .8125rem; }
.key svg, .swatch { display: inline-block; width: 12px; height: 12px; margin-right: .35rem; vertical-align: -1px; }
.cal { display: grid; grid-template-columns: repeat(15, minmax(0, 1fr)); gap: 4px; margin: 0; padding: 0; list-style: none; }
.cal li > * { display: block; border-radius: .3rem; border: 1px solid var(--line); text-align: center; line-height: 1.25; padding: .2rem 0 .3rem; color: var(--ink); min-height: 3rem; text-decoration: none; }
.cal small { display: block; font-size: .75rem; }
.cal .yes > * { background: var(--paid-tint); color: var(--paid); }
.cal .bad > * { background: var(--alarm-tint); border-color: var(--alarm-fill); color: var(--alarm); }
.cal .ask > * { background: var(--unknown-tint); border-color: var(--unknown-fill); color: var(--unknown); }
.cal .off > * { border-style: dashed; }
.cal .now > * { border-color: var(--accent); }
.run { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; font-size: .875rem; overflow-wrap: anywhere; }
.todo { margin: 0; padding: 0; list-style: none; }
.todo li { position: relative; display: grid; grid-template-columns: 1.5rem minmax(0, 1fr) auto 6.5rem; gap: 0 .75rem; align-items: center; padding: .55rem 0; border-top: 1px solid var(--line); }
.todo li:first-child { border: 0; padding-top: 0; }
.todo a:not(.b) { color: var(--ink); text-decoration: none; }
.todo small { display: block; overflow-wrap: anywhere; }
.todo b { overflow-wrap: anywhere; }
.mt { margin-top: .5rem; }
.mt :is(th, td) { padding-block: .3rem; font-size: inherit; color: inherit; white-space: normal; }
.mt tbody :is(th, td) { border: 0; }
.mt tbody th { font-weight: 400; }
.mt svg { display: inline-block; width: 12px; height: 12px; margin-right: .25rem; vertical-align: -1px; }
.mt .of :is(th, td) { color: var(--soft); font-size: .875rem; }
.mt .of th { padding-left: 1.25rem; }
.tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: .5rem; margin: 0; padding: 0; list-style: none; }
.age { grid-template-columns: 1fr 1fr; }
.age li { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; border-top: 4px solid var(--line); }
.age b { display: block; font-size: 1.375rem; line-height: 1.3; }
.age :is(.a0, .a1, .a2) { border-top-color: var(--unknown-fill); }
.age :is(.a1, .a2) { background: var(--unknown-tint); }
.age .a2 { border-color: var(--unknown-fill); }
.age .a9 :is(b, small) { color: var(--soft); font-weight: 400; }
.ends { display: flex; justify-content: space-between; margin: .2rem 0 .75rem; }
.bf b { display: block; font-size: 1.0625rem; }
.bf small { display: block; line-height: 1.35; }
.pg { width: 10rem; vertical-align: middle; }
.pg rect { stroke: none; }
.pt { margin-top: .75rem; }
@media (max-width: 40rem) {
  .hide { display: none; }
  .cal { grid-template-columns: repeat(7, minmax(0, 1fr)); }
  .todo li { grid-template-columns: 1.25rem minmax(0, 1fr) auto; padding: .75rem 0; }
  .todo .sg { align-self: start; }
  .todo .ag { grid-column: 3; grid-row: 1; align-self: start; }
  .todo .b { display: none; }
  .todo a::after { content: ''; position: absolute; inset: 0; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .pg { width: auto; }
}
`;

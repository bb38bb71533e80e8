/** The style of charts. */

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
@media (max-width: 40rem) {
  .hide { display: none; }
  .cal { grid-template-columns: repeat(7, minmax(0, 1fr)); }
}
`;

/** The style of the page: its tokens, then the classes of the frame and of the views; light and dark, wide and narrow. */
import { payoutDecisions, registrationDecisions } from '../rules/terms.ts';

const tokens = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f9, #0f1216); --sheet: light-dark(#fff, #171b21); --raise: light-dark(#f1f3f6, #1f252d);
  --ink: light-dark(#14181f, #e9edf2); --soft: light-dark(#586273, #a2adbb);
  --line: light-dark(#e2e6ec, #2a313b); --edge: light-dark(#818b9a, #6f7a89);
  --link: light-dark(#1f4bc0, #9db8ff); --accent: light-dark(#2450c8, #4468dc); --accent-tint: light-dark(#edf2fe, #1b2540);
  --paid: light-dark(#0f6a3b, #73d7a1); --paid-fill: light-dark(#2a9a62, #3c9f6b); --paid-tint: light-dark(#e7f5ed, #14301f);
  --unknown: light-dark(#8a5200, #f2bf5c); --unknown-fill: light-dark(#c67f00, #d99a2b); --unknown-tint: light-dark(#fdf3df, #33270f);
  --alarm: light-dark(#b01f1f, #ff9d96); --alarm-fill: light-dark(#cf3732, #e4645c); --alarm-tint: light-dark(#fdecec, #3a1b1c);
  --none-fill: light-dark(#8792a1, #727e8d); --wait-fill: light-dark(#dbe2ee, #2b3544); --wait-edge: light-dark(#7d8ca6, #6c7d97);
  --test: light-dark(#5a35a8, #cdb8ff); --test-tint: light-dark(#f0eafb, #271d40);
}
:root[data-theme='light'] { color-scheme: light; }
:root[data-theme='dark'] { color-scheme: dark; }
`;

/** Text, links, buttons, fields and tables. */
const elements = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 4.5rem; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 400 .9375rem/1.55 system-ui, 'Noto Sans Thai', 'Leelawadee UI', Thonburi, sans-serif; font-variant-numeric: tabular-nums;
}
a { color: var(--link); text-decoration: none; }
main a:hover, p a, small a, dd a, td a:not(:has(b, .name)), .bread a, .fold a { text-decoration: underline; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
main:focus { outline: none; }
h1 { font-size: 1.375rem; line-height: 1.35; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1rem; line-height: 1.4; margin: 0; }
h3, .h3 { font-size: .8125rem; margin: 0; color: var(--soft); font-weight: 600; }
p { margin: 0; }
small, .small { font-size: .8125rem; color: var(--soft); font-weight: 400; }
b, th { font-weight: 600; }
code { font-family: ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace; font-size: .92em; overflow-wrap: anywhere; }
.n, .mono { white-space: nowrap; }
.r { text-align: right; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
input, textarea, select, button, .b, .button { font: inherit; color: inherit; border-radius: var(--r); min-height: 2.5rem; }
input, textarea, select { width: 100%; border: 1px solid var(--edge); background: var(--sheet); padding: .35rem var(--s3); }
::placeholder { color: var(--soft); opacity: 1; }
::file-selector-button {
  font: inherit; color: inherit; margin-right: var(--s3); padding: .1rem var(--s3); border: 1px solid var(--edge);
  border-radius: .3rem; background: var(--ground); cursor: pointer;
}
input[type='checkbox'], input[type='radio'] { width: 1.25rem; height: 1.25rem; min-height: 0; accent-color: var(--accent); margin: 0; flex: none; }
label { display: block; font-weight: 600; margin-bottom: .2rem; }
label small { display: block; }
button, .b, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: var(--s2); padding: .3rem var(--s4);
  border: 1px solid var(--edge); background: var(--sheet); color: var(--ink); font-weight: 600; cursor: pointer;
}
:is(button, .b, .button) { text-decoration: none !important; }
:is(button, .b, .button):hover { background: var(--raise); }
:is(button, .b, .button).main { background: var(--accent); border-color: var(--accent); color: #fff; }
:is(button, .b, .button).main:hover { filter: brightness(1.1); }
:is(button, .b).sm { min-height: 2rem; padding: .1rem var(--s3); font-size: .875rem; }
:is(button, .b).full { width: 100%; text-align: center; line-height: 1.35; padding: .5rem var(--s3); }
button.quiet, button.link { border: 0; background: none; color: var(--link); padding: 0 .25rem; margin: 0 -.25rem; font-weight: 400; min-height: 2rem; }
:is(button.quiet, button.link):hover { background: none; text-decoration: underline !important; }
button.link { padding: 0; margin: 0; text-decoration: underline !important; text-align: left; justify-content: start; overflow-wrap: anywhere; }
button:disabled { opacity: .55; cursor: default; }
form.inline { display: inline; }
details > summary { cursor: pointer; color: var(--link); }
summary.b { list-style: none; }
table { width: 100%; border-collapse: collapse; background: var(--sheet); border: 1px solid var(--line); }
:is(.card, .act) table { border: 0; background: none; }
th, td { text-align: left; vertical-align: top; padding: .5rem var(--s3); border-top: 1px solid var(--line); }
:is(.card, .act) :is(th, td):first-child { padding-left: 0; }
:is(.card, .act) :is(th, td):last-child { padding-right: 0; }
thead td { border: 0; }
thead th { border-top: 0; font-size: .8125rem; color: var(--soft); }
th::first-letter { text-transform: uppercase; }
.card thead th { padding-top: 0; }
tfoot td, tfoot th { border-top: 2px solid var(--edge); font-weight: 600; }
:is(td, th):is(.r, .number) { text-align: right; white-space: nowrap; }
td small { display: block; white-space: normal; }
.yes { color: var(--paid); } .ask, .tag.unknown { color: var(--unknown); } .bad, .tag.alarm { color: var(--alarm); } .no { color: var(--soft); }
.t, .tag { font-weight: 600; white-space: nowrap; }
.tag.no { font-weight: 400; }
.sg { font-weight: 700; text-align: center; } .sg.link { color: var(--link); }
`;

/** The menu, the top, the tabs at the foot of a phone. */
const frame = `
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 0; top: 0; z-index: 9; background: var(--sheet); padding: var(--s3); }
body { display: grid; grid-template: auto auto 1fr / 14rem minmax(0, 1fr); min-height: 100vh; }
body:not(.alone) { background: linear-gradient(90deg, var(--sheet) calc(14rem - 1px), var(--line) 0 14rem, var(--ground) 0); }
body.alone { display: block; }
.test { grid-column: 1 / -1; background: var(--test-tint); color: var(--test); text-align: center; font-size: .8125rem; font-weight: 600; padding: .15rem; }
.side {
  grid-row: 2 / 4; grid-column: 1; padding: var(--s4) var(--s3);
  display: flex; flex-direction: column; gap: 2px; position: sticky; top: 0; height: 100vh; overflow-y: auto; align-self: start;
}
.test ~ .side { height: calc(100vh - 1.6rem); }
.brand { font-weight: 700; font-size: 1.0625rem; color: var(--ink); padding: 0 var(--s3) var(--s4); }
.i { display: flex; gap: var(--s3); padding: .4rem var(--s3); border-radius: var(--r); color: var(--ink); }
.i:hover { background: var(--raise); }
.i[aria-current] { background: var(--accent-tint); color: var(--link); font-weight: 600; }
.c { margin-left: auto; font-size: .8125rem; color: var(--soft); font-weight: 600; align-self: center; }
.me { margin-top: auto; padding: var(--s3); border-top: 1px solid var(--line); }
.card > .me { border: 0; padding: 0; }
.me .settings { display: flex; flex-wrap: wrap; gap: 0 var(--s4); font-size: .8125rem; }
.who { color: inherit; }
:root:not([data-theme]) .to-light { display: none; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme]) .to-light { display: inline; }
  :root:not([data-theme]) .to-dark { display: none; }
}
.top {
  grid-row: 2; grid-column: 2; position: sticky; top: 0; z-index: 3; background: var(--ground); border-bottom: 1px solid var(--line);
  display: flex; gap: var(--s3); align-items: center; padding: var(--s2) var(--s5); min-height: 3.5rem;
}
.top > form { flex: 1; max-width: 38rem; }
.top .mark, .tabs { display: none; }
.alone .top { position: static; }
.alone .mark { display: block; font-weight: 700; color: var(--ink); margin-right: auto; }
.bell { position: relative; margin-left: auto; }
.bell > summary {
  list-style: none; padding: .35rem var(--s3); border: 1px solid var(--line); border-radius: var(--r);
  background: var(--sheet); color: var(--ink); font-weight: 600; white-space: nowrap;
}
.bell > summary::-webkit-details-marker { display: none; }
.bell > div {
  position: absolute; right: 0; top: 2.9rem; width: min(22rem, 92vw); max-height: 75vh; overflow-y: auto; padding: var(--s3);
  background: var(--sheet); border: 1px solid var(--line); border-radius: var(--r); box-shadow: 0 8px 24px #0003;
}
.bell ul { margin: 0 0 var(--s2); padding: 0; list-style: none; }
.bell h2 { font-size: .8125rem; color: var(--soft); padding: 0 var(--s2); }
.bell li a { display: block; padding: var(--s2); color: var(--ink); border-radius: var(--r); overflow-wrap: anywhere; }
.bell li a:hover { background: var(--raise); text-decoration: none; }
.bell small { display: block; }
.lost { grid-row: 3; grid-column: 2; z-index: 2; align-self: start; margin: 0; padding: .3rem 1rem; text-align: center; background: var(--alarm-tint); color: var(--alarm); font-weight: 600; }
.lost[hidden], [data-keys][hidden] { display: none; }
main { grid-row: 3; grid-column: 2; padding: var(--s5); max-width: 78rem; width: 100%; }
.lost:not([hidden]) + main { margin-top: 2rem; }
.alone main { margin: 0 auto; }
main, [data-live] { display: flex; flex-direction: column; gap: var(--s4); min-width: 0; }
.card[data-live] { gap: 0; }
[data-live]:empty { display: none; }
main > :is(.b, .button), main > form:not([class], :has(> .chips), :has(> table)) { align-self: start; }
:is(nav, details)[data-live], .bell [data-live] { gap: 2px; }
dialog { background: var(--sheet); color: var(--ink); border: 1px solid var(--edge); border-radius: .625rem; padding: var(--s5); max-width: 28rem; }
dialog > * + * { margin-top: var(--s3); }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
kbd { font: inherit; border: 1px solid var(--edge); border-radius: .3rem; padding: .05rem .45rem; }
label.switch { display: flex; gap: var(--s2); align-items: center; min-height: 2.75rem; font-weight: 400; }
`;

/** Cards, lists and figures, which every view uses. */
const chartStyle = `
svg { display: block; width: 100%; overflow: visible; }
svg text { fill: var(--soft); font-size: 12px; }
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

const components = `
.head { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); align-items: center; }
.head > :is(.b, .button, form) { margin-left: auto; }
h1 small { font-weight: 400; letter-spacing: 0; margin-left: var(--s2); }
.head h1 + small { padding-top: .25rem; }
.card { background: var(--sheet); border: 1px solid var(--line); border-radius: .625rem; padding: var(--s4) 1.25rem; min-width: 0; }
.card > h2, .card > .hd:not(:last-child), .card > :is(.done, .problems) { margin-bottom: var(--s3); }
.hd { display: flex; flex-wrap: wrap; gap: 0 var(--s3); align-items: baseline; }
.hd > :last-child:not(h2) { margin-left: auto; }
.two { display: grid; grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr); gap: var(--s4); }
.half { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.split { display: grid; grid-template-columns: minmax(0, 27rem) minmax(0, 1fr); gap: var(--s4); align-items: start; }
.det { position: sticky; top: 4.5rem; }
.det > * + * { margin-top: var(--s3); } .det h3 { margin-top: var(--s4); } .det h3 + * { margin-top: var(--s1); }
.back { display: none; }
.big { font-size: 1.25rem; }
.bread, .nav { font-size: .875rem; } .nav { display: flex; gap: var(--s4); } .nav > :last-child { margin-left: auto; }
.fig { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: var(--s4); margin: var(--s4) 0; padding: var(--s3) 0; border-block: 1px solid var(--line); }
.fig dt { font-size: .8125rem; color: var(--soft); } .fig dd { margin: 0; }
.fig dd.n, .fig .no { font-size: 1.375rem; font-weight: 600; line-height: 1.35; } .fig .no { font-weight: 400; }
.act { background: var(--raise); border-radius: var(--r); padding: var(--s4); }
.act .effect { background: none; padding: 0; } .det .act > * + * { margin-top: var(--s2); }
.bts, :is(form, .done) > .buttons { display: flex; flex-wrap: wrap; gap: var(--s2); }
.fold { text-align: center; }
.q { margin: var(--s1) 0 var(--s4); padding: 0; list-style: none; background: var(--sheet); border: 1px solid var(--line); border-radius: .625rem; overflow: hidden; }
.q li { position: relative; display: grid; grid-template-columns: 1.25rem minmax(0, 1fr) auto; gap: 0 var(--s2); padding: .55rem var(--s3); border-top: 1px solid var(--line); align-items: start; }
.q li:first-child { border-top: 0; }
.q a:not(.b) { color: var(--ink); } .q a:not(.b)::after { content: ''; position: absolute; inset: 0; }
.q b { overflow-wrap: anywhere; } .q small { display: block; } .q .r small { max-width: 9.5rem; margin-left: auto; white-space: normal; }
.q li:hover { background: var(--raise); } .q li.cur { background: var(--accent-tint); box-shadow: inset 3px 0 var(--accent); }
.q a:focus-visible { outline: 0; } .q li:has(:focus-visible) { outline: 3px solid var(--link); outline-offset: -3px; border-radius: .625rem; }
div.chips, nav.chips { display: flex; gap: var(--s2); flex-wrap: wrap; align-items: center; }
.chips > :is(a, button) { padding: .2rem .65rem; min-height: 2rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--sheet); color: var(--ink); white-space: nowrap; font-weight: 400; text-decoration: none; }
.chips > [aria-current] { background: var(--accent-tint); border-color: var(--accent); color: var(--link); font-weight: 600; }
.chips .order { display: flex; gap: var(--s1); margin-left: auto; } .chips .order :is(select, button) { width: auto; min-height: 2rem; }
.empty { background: var(--sheet); border: 1px solid var(--line); border-radius: .625rem; padding: var(--s6) var(--s4); text-align: center; }
.problems, .done { border: 2px solid var(--edge); background: var(--sheet); border-radius: var(--r); padding: var(--s3) var(--s4); }
/* Focused so that screen readers read it first; visible without an outline. */
:is(.problems, .done):focus-visible { outline: none; }
.problems { border-color: var(--ink); } .problems ul { margin: 0; padding-left: 1.2rem; }
.done { border-color: var(--accent); } .done > .buttons:not(:empty) { margin-top: var(--s2); }
.complaint { margin: 0 0 .3rem; font-weight: 600; }
[aria-invalid] { border-color: var(--ink); border-width: 2px; }
.field { margin-bottom: var(--s4); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: var(--s3); align-items: end; }
.filter { display: grid; grid-template-columns: minmax(14rem, 3fr) repeat(3, minmax(8rem, 1fr)) auto; gap: var(--s3); align-items: end; }
.filter .buttons { display: flex; gap: var(--s2); }
.filter.log { grid-template-columns: repeat(3, minmax(9rem, 16rem)) auto; justify-content: start; }
.filter.short { grid-template-columns: minmax(16rem, 36rem) auto; justify-content: start; }
.pages { display: flex; gap: var(--s2); }
.pick label { display: flex; min-width: 2.5rem; min-height: 2.5rem; align-items: center; justify-content: center; cursor: pointer; margin: 0; }
td.pick { padding: 0; } span.pick label { justify-content: flex-start; gap: var(--s2); }
.bar { position: sticky; bottom: 0; display: flex; flex-wrap: wrap; gap: var(--s2) var(--s3); align-items: center; background: var(--sheet); border: 1px solid var(--line); padding: var(--s2) var(--s3); margin-top: calc(-1 * var(--s4)); } .bar:has(.main:disabled) { position: static; }
.chosen { font-weight: 600; } .chosen:empty { display: none; }
.print { display: none; }
.stepline { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s2); margin: 0; padding: 0; list-style: none; font-weight: 600; }
.stepline li:not(:last-child)::after { content: '·'; margin-left: var(--s2); color: var(--soft); }
.stepline .step-later { color: var(--soft); font-weight: 400; } .stepline .step-now { color: var(--link); }
`;

/** Classes of views that the components above will replace. */
const views = `
.figures { display: flex; flex-wrap: wrap; gap: var(--s3); margin: 0; padding: 0; list-style: none; }
.figures li { background: var(--sheet); border: 1px solid var(--line); border-radius: .625rem; padding: var(--s2) var(--s4); min-width: 9rem; }
.figures b { display: block; font-size: 1.375rem; line-height: 1.35; } .figures small { display: block; }
td .name { font-weight: 600; overflow-wrap: anywhere; }
td.why { max-width: 28rem; overflow-wrap: anywhere; }
.narrow { max-width: 26rem; width: 100%; margin: var(--s6) auto; }
.medium { max-width: 40rem; }
.columns { display: grid; grid-template-columns: 3fr 2fr; gap: var(--s4); align-items: start; }
dl.facts { display: grid; grid-template-columns: minmax(8rem, auto) 1fr; gap: var(--s1) var(--s4); margin: 0; align-items: baseline; }
dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
:is(ul.decisions, ul.plain, ul.log, ul.options, ul.chips) { list-style: none; margin: 0; padding: 0; }
:is(ul.decisions, ul.log) > li { padding: .4rem 0; border-bottom: 1px solid var(--line); }
:is(ul.decisions, ul.log) > li:last-child { border-bottom: 0; }
:is(ul.decisions, ul.plain, ul.log) small { display: block; }
.off, ul.options li.off { color: var(--soft); }
.effect { background: var(--raise); border-radius: var(--r); padding: var(--s3); margin: 0 0 var(--s4); }
.approve { margin-bottom: var(--s4); }
.then { display: flex; flex-wrap: wrap; gap: .2rem var(--s4); }
.card > * + :is(p, table, form, details, dl, ul, h3), .card > section + section, section > * + :is(p, table) { margin-top: var(--s3); }
section > h2 { margin-bottom: var(--s2); }
.card .card { border: 0; padding: 0; margin: var(--s4) 0 0; }
ul.plain .card { margin-bottom: var(--s4); }
h2.headline { font-size: 1.75rem; line-height: 1.3; }
.decision { border-color: var(--accent); border-top: 3px solid var(--accent); }
.cannot { border-left: 4px solid var(--alarm-fill); padding: .2rem var(--s3); margin: 0 0 var(--s4); }
.cannot ul { margin: 0; padding-left: 1.2rem; } .cannot .tag { white-space: normal; }
ul.chips { display: flex; flex-wrap: wrap; gap: .1rem .9rem; } ul.chips li { overflow-wrap: anywhere; }
.becomes small { display: inline; }
.story td.why { max-width: none; }
table.legend { border: 0; background: none; max-width: 44rem; } .legend tbody th { font-weight: 400; }
.row { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: end; margin: var(--s2) 0 0; } .row .field { flex: 1 1 14rem; margin: 0; }
ul.log li { display: flex; flex-wrap: wrap; gap: .2rem 1rem; } ul.log time { color: var(--soft); min-width: 11rem; }
.card.secret { border: 2px solid var(--unknown-fill); max-width: 34rem; }
output.secret { display: inline-block; font-size: 1.3rem; font-weight: 700; user-select: all; overflow-wrap: anywhere; }
p.warn { color: var(--alarm); font-weight: 600; }
pre.signed { margin: 0; padding: var(--s3) var(--s4); white-space: pre-wrap; overflow-wrap: anywhere; background: var(--raise); border-radius: var(--r); font-size: .875rem; line-height: 1.6; }
ul.options li { margin-bottom: .4rem; line-height: 1.4; }

`;

/** The sentence of an approval, its figures, the warnings, and the decision beside them. */
const approval = `
.ap { display: grid; grid-template-columns: minmax(0, 1fr) 20rem; gap: 1rem; align-items: start; }
.ap > *, .ap .col { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
.hero :is(h1, h2) { font-size: 1.75rem; line-height: 1.3; letter-spacing: -.015em; margin: 0; }
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
`;

/** A reconciled day. */
const days = `
.sum { font-size: 1.0625rem; } .list { display: grid; gap: var(--s3); } section > .list { margin-top: var(--s3); }
.br { display: grid; grid-template-columns: 20rem minmax(0, 1fr) auto; gap: var(--s2) var(--s5); align-items: center; border-left: 4px solid var(--unknown-fill); }
.br.hi { border-left-color: var(--alarm-fill); } .br > :is(.hd, .asking) { grid-column: 1 / -1; margin: 0; } .br h3 { font-size: 1rem; }
.br dl { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: var(--s3); margin: 0; } .br dt { font-size: .8125rem; color: var(--soft); } .br dd { margin: 0; }
.tx p::first-letter, .rules li::first-letter { text-transform: uppercase; }
.tbl td:nth-child(2), .tbl td:nth-child(4) { color: var(--soft); } .wf { margin-top: var(--s2); } .tbl + .h3 { margin-top: var(--s4); } ul.log code { overflow-wrap: anywhere; }
form:is(:has(> .chips), :has(> table)) { min-width: 0; } table + .buttons { margin-top: var(--s3); }
@media (max-width: 63.99rem) { .br { display: block; } .br > :is(dl, .tx, .bts, .asking) { margin-top: var(--s3); } .br .hd > :last-child { margin-left: 0; } }
@media (max-width: 40rem) {
  .tbl.rows :is(tbody, tfoot) tr { grid-template-columns: 1fr 1fr 1fr; } .tbl.rows td.r { font-size: .875rem; }
  .tbl.rows td[data-l]::before { display: block; white-space: normal; } .tbl td:nth-child(4) { color: inherit; }
}
`;

/** Below 1024 px the menu stands at the foot; below 640 px rows become cards. */
const narrow = `
@media (max-width: 63.99rem) {
  html { scroll-padding-bottom: 5rem; }
  body, body:not(.alone) { display: block; font-size: 1rem; padding-bottom: 4.5rem; background: var(--ground); }
  body.alone { padding-bottom: 0; }
  .side { display: none; }
  .top { padding: var(--s1) var(--s4); } .top .mark { display: block; font-weight: 700; color: var(--ink); padding: .5rem 0; }
  main { padding: var(--s4); gap: var(--s3); } [data-live] { gap: var(--s3); }
  .card { padding: var(--s4); }
  .two, .half, .columns, .split { grid-template-columns: minmax(0, 1fr); } .split .det { display: none; }
  .split.open .list { display: none; } .split.open .det { display: block; position: static; } .split.open .back { display: inline-block; padding: .6rem 0; }
  .columns > .lead { order: -1; }
  input:not([type='checkbox'], [type='radio']), select, button, .b, .button, :is(button, .b).sm, button.quiet, button.link { min-height: 2.75rem; }
  input[type='checkbox'], input[type='radio'] { width: 1.5rem; height: 1.5rem; }
  .pick label { min-width: 2.75rem; min-height: 2.75rem; }
  summary { padding: .6rem 0; } summary.b { padding: .3rem var(--s4); }
  .bell > summary { min-height: 2.75rem; display: flex; align-items: center; gap: .4rem; padding: .35rem var(--s3); }
  .bell li a, .who { min-height: 2.75rem; } .me a.who { display: block; padding: .5rem 0; }
  .i { padding: .65rem var(--s3); }
  .tabs {
    display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); position: fixed; inset: auto 0 0; z-index: 4; background: var(--sheet);
    border-top: 1px solid var(--line); padding-bottom: env(safe-area-inset-bottom);
  }
  .tabs a { padding: .35rem 0; text-align: center; font-size: .75rem; color: var(--soft); line-height: 1.35; min-height: 3.25rem; }
  .tabs a b { display: block; font-size: 1.0625rem; line-height: 1.4; } .tabs a[aria-current] { color: var(--link); font-weight: 600; }
  :is(div, nav).chips { flex-wrap: nowrap; overflow-x: auto; margin: 0 -1rem; padding: 0 1rem; }
  .chips > :is(a, button) { padding: .5rem .9rem; min-height: 2.75rem; border-radius: 1.5rem; } .chips .order { display: none; }
  .q li { padding: var(--s3); min-height: 3.5rem; } .q li.cur { background: none; box-shadow: none; }
  .bar { bottom: 4.25rem; }
  .filter, .filter.log { grid-template-columns: 1fr 1fr; } .filter .wide, .filter .buttons { grid-column: 1 / -1; }
}
@media (max-width: 40rem) {
  .hide { display: none !important; }
  .head > :is(.b, .button) { margin-left: 0; width: 100%; }
  .filter.short, .pair { grid-template-columns: 1fr; }
  .figures { gap: var(--s2); } .figures li { flex: 1 1 9rem; padding: .4rem .7rem; } .figures b { font-size: 1.1rem; }
  table.rows thead { position: absolute; left: -99rem; }
  table.rows :is(tbody, tfoot) tr { position: relative; display: grid; grid-template-columns: 1fr auto; gap: 0 var(--s3); padding: var(--s3) 0; border-top: 1px solid var(--line); }
  table.rows :is(td, th) { border: 0; padding: 0; }
  table.rows tbody tr:first-child { border-top: 0; padding-top: 0; }
  table.rows .w { grid-column: 1 / -1; } table.rows .w + .number { text-align: left; font-weight: 600; }
  table.rows td[data-l]::before { content: attr(data-l) ' '; color: var(--soft); font-size: .8125rem; font-weight: 400; }
  table:not(.rows, .legend):has(td[data-head]) { display: block; border: 0; background: none; }
  table:not(.rows, .legend):has(td[data-head]) :is(tfoot, tfoot tr) { display: block; } tfoot :is(th, td) { border: 0; }
  table:has(td[data-head]) :is(tbody, tr, td) { display: block; }
  table:has(td[data-head]) thead { position: absolute; left: -99rem; }
  tr:has(td[data-head]) { position: relative; background: var(--sheet); border: 1px solid var(--line); border-radius: .625rem; margin-bottom: var(--s3); padding: var(--s2) 0; }
  td[data-head], .card td[data-head] { display: flow-root !important; border: 0; padding: .2rem .8rem .2rem 7.6rem; min-height: 1.9rem; max-width: none; text-align: left; }
  td[data-head]:empty { display: none !important; }
  td[data-head]::before { content: attr(data-head); float: left; width: 6.4rem; margin-left: -6.8rem; font-size: .8125rem; line-height: 1.9; color: var(--soft); font-weight: 400; white-space: normal; }
  td[data-head].number { text-align: left; font-weight: 600; }
  td.pick { position: absolute; right: .4rem; border: 0; z-index: 1; }
  td a.open { display: inline-block; padding: .6rem 0; margin: -.6rem 0; }
  .legend.legend { display: block; } .legend.legend :is(thead, tbody, tfoot) { display: block; position: static; }
  .legend.legend tr { display: grid; grid-template-columns: 1fr 3.6rem 7.4rem; border: 0; border-bottom: 1px solid var(--line); border-radius: 0; background: none; margin: 0; padding: .25rem 0; }
  .legend.legend :is(th, td) { padding: .1rem 0; border: 0; text-align: right; font-weight: inherit; min-height: 0; } .legend.legend tr > :first-child { text-align: left; }
  .legend td[data-head]::before { content: none; }
  .legend tfoot { font-weight: 600; }
  dl.facts { grid-template-columns: 1fr; gap: 0; } dl.facts dd { margin-bottom: .6rem; }
}
`;

/** On A4 paper: what is read, without what is pressed. */
const paper = `
@page { size: A4; margin: 16mm; }
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  .skip, .side, .top, .tabs, .nav, .test, .lost, .bell, .bar, .chips, .pages, .pick, button, .b, .button, form:not(.act), dialog, .bread, .sign details { display: none !important; }
  html { font-size: 10pt; } body, body:not(.alone) { display: block; background: #fff; font-size: 1rem; padding: 0; } main { display: block; padding: 0; max-width: none; } main > * + * { margin-top: 3mm; }
  small, .small { font-size: .85rem; }
  .card, .act { border: 1px solid #999; background: none; padding: 2mm 3mm; } .card, tr, svg { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .two, .split { display: block; } .det, .sign { position: static; }
  thead { display: table-header-group; } tfoot { display: table-row-group; } th, td { padding: 1mm 2mm; }
  details::details-content { content-visibility: visible; block-size: auto; } details > summary { list-style: none; color: inherit; font-weight: 600; }
  .ap { display: grid; grid-template-columns: 1fr 1fr; gap: 2mm; } .ap > *, .ap .col { display: contents; } .col:has(#list) [aria-labelledby='largest'] { display: none; }
  .ap .col:not(:has(#list)) > :is([aria-labelledby='amounts'], [aria-labelledby='largest']) { grid-column: auto; }
  .ap :is(.card, section) { grid-column: 1 / -1; } .ap :is([aria-labelledby='compared'], .card:has(> .facts), .sign) { grid-column: auto; }
  .ap .audit { order: 1; } .hero .fig { grid-template-columns: repeat(4, 1fr); }
  a { color: inherit; text-decoration: none !important; }
  .print { display: block !important; } .print p { margin-top: 10mm; }
}
`;

/** Shows the parts of the chosen decision alone; a browser that knows no `:has` shows all of them, each with its name. */
const chosenParts = [...new Set<string>([...payoutDecisions, ...registrationDecisions])]
  .map((name) => `.act:has([value='${name}']:checked) .only:not(.for-${name})`)
  .join(',\n');

/** The form of a decision, and the page of one payout or registration. */
const decisions = `
.choices { border: 0; margin: 0 0 var(--s4); padding: 0; min-width: 0; }
.choices legend { padding: 0; font-size: .8125rem; font-weight: 600; color: var(--soft); }
.choice { display: flex; gap: var(--s3); align-items: center; margin: var(--s1) 0 0; padding: var(--s2) var(--s3); font-weight: 600;
  border: 1px solid var(--line); border-radius: var(--r); background: var(--sheet); cursor: pointer; min-height: 2.5rem; }
.choice:has(:checked) { border-color: var(--accent); background: var(--accent-tint); }
.choice small { display: block; }
.act:not(:has([name='decision']:checked)) .only,
${chosenParts} { display: none; }
.act .buttons { display: flex; flex-wrap: wrap; gap: var(--s2); }
.act button.main { white-space: normal; text-align: center; line-height: 1.35; padding: .5rem var(--s4); }
.decision > form.act { background: none; padding: 0; }
.decision > :is(form, details, p, .asking) + * { margin-top: var(--s4); }
.payout-head { display: grid; gap: var(--s1) var(--s5); }
.payout-head .amount { font-size: 1.75rem; font-weight: 600; line-height: 1.3; }
.payout-head .state { display: flex; flex-wrap: wrap; gap: 0 var(--s4); }
.asking { background: var(--unknown-tint); border-radius: var(--r); padding: var(--s3) var(--s4); }
.asking form { display: block; margin-top: var(--s2); }
.story + details { margin-top: var(--s3); }
@media (min-width: 48rem) {
  .payout-head { grid-template-columns: minmax(0, 1fr) minmax(0, 1.2fr); align-items: start; }
  .payout-head .facts { grid-row: 1 / 3; grid-column: 2; }
}
@media (max-width: 63.99rem) { .choice { min-height: 2.75rem; } }
`;

const sizes: Readonly<Record<string, string>> = {
  s1: '.25rem',
  s2: '.5rem',
  s3: '.75rem',
  s4: '1rem',
  s5: '1.5rem',
  s6: '2rem',
  r: '.5rem',
};

/** Puts the sizes in their places, and leaves out comments and the blanks that only people read. */
const pack = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([{};:,]) /g, '$1')
    .replaceAll(/;? ?([{}])| (>) /g, '$1$2')
    .replaceAll(/var\(--(s\d|r)\)/g, (whole, name: string) => sizes[name] ?? whole);

export const style = pack(
  [tokens, elements, frame, chartStyle, components, views, approval, decisions, narrow, days, paper].join(''),
);

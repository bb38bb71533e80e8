/** The style of the page: light and dark, wide and narrow, Latin and Thai. */
import { chartStyle } from './chart-style.ts';

export const style = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f9, #14171b);
  --sheet: light-dark(#ffffff, #1c2026);
  --ink: light-dark(#1a1f26, #e8ebef);
  --soft: light-dark(#525c69, #a7b0bc);
  --line: light-dark(#d5dae1, #363d47);
  --link: light-dark(#0b57a4, #8ec1ff);
  --accent: light-dark(#0b57a4, #2f6fb8);
  --paid: light-dark(#12663a, #7fd6a4);
  --unknown: light-dark(#7a4d00, #f0c060);
  --alarm: light-dark(#a3181f, #ff9a98);
  --alarm-ground: light-dark(#fdecec, #3a1d1f);
  --bar-paid: light-dark(#1f8a53, #4fae7c);
  --bar-ready: light-dark(#4a86c8, #5b93d1);
  --bar-doubt: light-dark(#e0a100, #e3b341);
  --bar-unresolved: light-dark(#b97800, #c08f2c);
  --bar-held: light-dark(#9aa3af, #6d7783);
  --bar-failed: light-dark(#6b7480, #8f99a6);
  --bar-off: light-dark(#bfc6cf, #4b545f);
  --bar-alarm: light-dark(#c2272f, #f07471);
  --sandbox: light-dark(#fff2c9, #453710);
}
:root[data-theme='light'] { color-scheme: light; }
:root[data-theme='dark'] { color-scheme: dark; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink); font-size: 1rem; line-height: 1.55;
  font-family: system-ui, 'Noto Sans Thai', 'Leelawadee UI', Thonburi, sans-serif;
}
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
main:focus { outline: none; }
h1 { font-size: 1.5rem; line-height: 1.35; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; line-height: 1.4; margin: 0 0 .6rem; }
small { color: var(--soft); font-size: .875rem; }
.skip { position: absolute; left: -100vw; background: var(--sheet); padding: .6rem 1rem; z-index: 1; }
.skip:focus { left: 0; }
.sandbox { margin: 0; padding: .4rem 1rem; text-align: center; background: var(--sandbox); font-weight: 600; }
.frame {
  display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: center; padding: .4rem 1.2rem;
  background: var(--sheet); border-bottom: 1px solid var(--line);
}
.brand { font-weight: 700; font-size: 1.1rem; color: var(--ink); text-decoration: none; padding: .5rem 0; }
nav { display: flex; gap: .1rem; overflow-x: auto; max-width: 100%; }
nav a { padding: .55rem .6rem; text-decoration: none; white-space: nowrap; border-bottom: 3px solid transparent; }
nav a[aria-current] { border-color: var(--accent); color: var(--ink); font-weight: 600; }
.settings { display: flex; flex-wrap: wrap; align-items: center; gap: .1rem .3rem; margin-left: auto; }
.who { margin-right: .3rem; }
.settings button.quiet { padding: .4rem .45rem; }
:root:not([data-theme]) .to-light { display: none; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme]) .to-light { display: inline; }
  :root:not([data-theme]) .to-dark { display: none; }
}
main { max-width: 84rem; margin: 0 auto; padding: 1.4rem 1.2rem 3rem; }
form.inline { display: inline; }
button, .button, input, select, textarea {
  font: inherit; line-height: 1.4; color: inherit; min-height: 2.75rem; border-radius: .4rem;
}
button, .button {
  display: inline-flex; align-items: center; cursor: pointer; padding: .4rem 1rem; text-decoration: none;
  background: var(--sheet); border: 1px solid var(--soft);
}
button:hover, .button:hover { border-color: var(--link); }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: #fff; font-weight: 600; }
button.quiet { border-color: transparent; background: none; color: var(--link); padding: .4rem .6rem; }
button.quiet:hover { text-decoration: underline; }
input, select, textarea { width: 100%; padding: .4rem .6rem; background: var(--sheet); border: 1px solid var(--soft); }
::file-selector-button {
  font: inherit; color: inherit; margin-right: .8rem; padding: .15rem .7rem; border: 1px solid var(--soft);
  border-radius: .3rem; background: var(--ground); cursor: pointer;
}
label { display: block; font-weight: 600; margin-bottom: .2rem; }
label small { display: block; font-weight: 400; }
.figures { display: flex; flex-wrap: wrap; gap: .8rem; margin: 0 0 1.2rem; padding: 0; list-style: none; }
.figures li {
  background: var(--sheet); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; min-width: 9rem;
}
.figures b { display: block; font-size: 1.3rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
.filter {
  display: grid; grid-template-columns: minmax(16rem, 3fr) repeat(3, minmax(9rem, 1fr)) auto;
  gap: .8rem; align-items: end; margin: 0 0 1.2rem;
}
.filter .buttons { display: flex; gap: .5rem; }
table { width: 100%; border-collapse: collapse; background: var(--sheet); border: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: .6rem .8rem; border-bottom: 1px solid var(--line); }
th { font-size: .875rem; color: var(--soft); font-weight: 600; white-space: nowrap; }
th::first-letter { text-transform: uppercase; }
thead td { border-bottom-color: var(--line); }
tbody > tr:last-child > :is(td, th) { border-bottom: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td small { display: block; font-weight: 400; }
td .name { font-weight: 600; overflow-wrap: anywhere; }
td.why { max-width: 28rem; overflow-wrap: anywhere; }
.mono { font-variant-numeric: tabular-nums; white-space: nowrap; }
.tag { display: inline-block; white-space: nowrap; font-weight: 600; }
.tag.yes { color: var(--paid); }
.tag.unknown { color: var(--unknown); }
.tag.alarm { color: var(--alarm); }
.tag.no { color: var(--soft); font-weight: 400; }
.pages { display: flex; gap: .6rem; margin-top: 1rem; }
.empty { background: var(--sheet); border: 1px solid var(--line); border-radius: .5rem; padding: 2.5rem 1rem; text-align: center; }
.empty p { margin: .2rem 0; }
.problems, .done {
  border: 2px solid var(--alarm); background: var(--alarm-ground); border-radius: .5rem; padding: .8rem 1rem; margin: 0 0 1.2rem;
}
/* Focused so that screen readers read it first; visible without an outline. */
:is(.problems, .done):focus-visible { outline: none; }
.problems ul { margin: 0; padding-left: 1.2rem; }
.done { border-color: var(--paid); background: var(--sheet); }
.done.notice { border-color: var(--accent); }
.card {
  background: var(--sheet); border: 1px solid var(--line); border-radius: .5rem; padding: 1.2rem; margin-bottom: 1.2rem;
}
.narrow { max-width: 26rem; margin: 2rem auto; }
.narrow .field { margin-bottom: 1rem; }
.columns { display: grid; grid-template-columns: 3fr 2fr; gap: 1.2rem; align-items: start; }
dl.facts { display: grid; grid-template-columns: minmax(8rem, auto) 1fr; gap: .5rem 1.2rem; margin: 0; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
ul.decisions { list-style: none; margin: 0; padding: 0; }
ul.decisions li { padding: .5rem 0; border-bottom: 1px solid var(--line); }
ul.decisions li:last-child { border-bottom: 0; }
ul.decisions small { display: block; }
.off { color: var(--soft); }
/* deciding */
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
input[type='checkbox'] { width: 1.35rem; height: 1.35rem; min-height: 0; accent-color: var(--accent); margin: 0; }
.pick label { display: flex; min-width: 2.75rem; min-height: 2.75rem; align-items: center; justify-content: center; cursor: pointer; }
td.pick { padding: 0; }
.bar {
  position: sticky; bottom: 0; display: flex; flex-wrap: wrap; gap: .5rem .8rem; align-items: center;
  background: var(--sheet); border: 1px solid var(--line); border-top: 0; padding: .6rem .8rem;
}
.chosen { font-weight: 600; font-variant-numeric: tabular-nums; }
.chosen:empty { display: none; }
@media (max-width: 44rem) { .bar:has(.main:disabled) { position: static; } }
.field { margin-bottom: 1rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; align-items: end; }
.complaint { color: var(--alarm); margin: 0 0 .3rem; font-weight: 600; }
[aria-invalid] { border-color: var(--alarm); border-width: 2px; }
.effect { background: var(--ground); border-left: 4px solid var(--accent); padding: .6rem .9rem; margin: 0 0 1rem; }
form > .buttons { display: flex; flex-wrap: wrap; gap: .6rem; }
.approve { margin-bottom: 1.4rem; }
.then { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
section > h2 { margin-top: 1rem; }
main > p:first-child { margin-top: 0; }
.card > :first-child, .done > :first-child { margin-top: 0; }
.card > :last-child, .done > :last-child { margin-bottom: 0; }
.card .card { border: 0; padding: 0; margin: 1.2rem 0 0; }
.filename { margin: 0; font-weight: 600; font-size: 1.0625rem; overflow-wrap: anywhere; }
h2.headline { font-size: 1.6rem; line-height: 1.3; margin: .1rem 0 .9rem; font-variant-numeric: tabular-nums; }
.card > table { margin-top: 1rem; }
td.why > code { overflow-wrap: anywhere; }
blockquote { background: var(--ground); border-radius: .4rem; margin: 0 0 1rem; padding: .6rem .9rem; }
blockquote p { margin: 0; overflow-wrap: anywhere; }
.decision { border-color: var(--accent); border-top: 3px solid var(--accent); }
.judged { margin: 0 0 .4rem; }
.cannot { border-left: 4px solid var(--alarm); padding: .2rem .9rem; margin: 0 0 1rem; }
ul.decisions .cannot { margin: .3rem 0 0; }
ul.decisions .cannot li { padding: 0; border: 0; }
.cannot ul { margin: 0; padding-left: 1.2rem; }
.cannot .tag { white-space: normal; }
/* live, keys */
.lost { margin: 0; padding: .4rem 1rem; text-align: center; background: var(--alarm-ground); color: var(--alarm); font-weight: 600; }
.lost[hidden], [data-keys][hidden] { display: none; }
footer { max-width: 84rem; margin: 0 auto; padding: 0 1.2rem 1.5rem; text-align: right; }
dialog { background: var(--sheet); color: var(--ink); border: 1px solid var(--soft); border-radius: .6rem; padding: 1.4rem; max-width: 28rem; }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
kbd { font: inherit; border: 1px solid var(--soft); border-radius: .3rem; padding: .05rem .45rem; }
label.switch { display: flex; gap: .6rem; align-items: center; min-height: 2.75rem; font-weight: 400; }
button:disabled { opacity: .55; cursor: default; }
/* a batch */
.steps { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; padding: 0; margin: 0 0 1.2rem; }
.steps li { flex: 1 1 9rem; background: var(--sheet); border: 1px solid var(--line); border-top: 4px solid var(--line); border-radius: .4rem; padding: .5rem .8rem; }
.steps li.step-done { border-top-color: var(--paid); }
.steps li.step-now { border-top-color: var(--accent); }
.steps li.step-stopped { border-top-color: var(--unknown); }
.steps b, .steps small { display: block; }
h3 { font-size: 1rem; margin: 1rem 0 .4rem; }
button.link { border: 0; background: none; padding: .4rem 0; color: var(--link); text-decoration: underline; text-align: left; overflow-wrap: anywhere; }
/* a payout */
.chips { list-style: none; margin: .2rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .1rem .9rem; }
.chips li { overflow-wrap: anywhere; }
.becomes small { display: inline; }
dl.facts { align-items: baseline; }
.story p { margin: 0; }
.story td:nth-child(3) { min-width: 14rem; }
.story td.why { max-width: none; }
code { font-family: ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace; font-size: .92em; }
summary { cursor: pointer; padding: .5rem 0; color: var(--link); }
.columns > .card { margin-bottom: 0; }
.columns { margin-bottom: 1.2rem; }
@media (max-width: 60rem) {
  .filter { grid-template-columns: repeat(3, 1fr); }
  .filter .wide, .filter .buttons { grid-column: 1 / -1; }
  .columns { grid-template-columns: 1fr; }
  .columns .first { order: -1; }
  /* Figures stand before the button. */
  .columns .first:has(> .decision) { order: 1; }
}
@media (max-width: 44rem) {
  main { padding: 1rem .8rem 2rem; }
  .frame { padding: .3rem .8rem; }
  .frame { gap: 0 .2rem; }
  .settings button.quiet { padding: .4rem .35rem; }
  .settings:has(.who) { display: contents; }
  .settings > form:first-of-type { margin-left: auto; }
  .who { order: 1; flex-basis: 100%; margin: 0; }
  a.who { padding: .2rem 0; }
  nav { order: 2; }
  .filter { grid-template-columns: 1fr 1fr; }
  .figures { gap: .5rem; }
  .figures li { flex: 1 1 9rem; padding: .4rem .7rem; }
  .figures b { font-size: 1.1rem; }
  table, tbody, tr, td { display: block; }
  table { border: 0; background: none; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { background: var(--sheet); border: 1px solid var(--line); border-radius: .5rem; margin-bottom: .8rem; padding: .5rem 0; }
  td { border: 0; padding: .25rem .8rem .25rem 7.6rem; position: relative; }
  td { display: flow-root; }
  td:empty { display: none; }
  td { min-height: 2rem; }
  td.why { max-width: none; }
  td.pick { position: absolute; right: .4rem; padding: 0; z-index: 1; }
  tr { position: relative; }
  .pair { grid-template-columns: 1fr; }
  td.number { text-align: left; font-weight: 600; }
  td[data-head]::before {
    content: attr(data-head); float: left; width: 6.4rem; margin-left: -6.8rem; white-space: normal;
    font-size: .875rem; line-height: 1.75; color: var(--soft); font-weight: 400;
  }
  td a.open { display: inline-block; padding: .6rem 0; margin: -.6rem 0; }
  dl.facts { grid-template-columns: 1fr; gap: 0; }
  dl.facts dd { margin-bottom: .6rem; }
}
/* today */
h1 small { font-weight: 400; margin-left: .6rem; }
.figures small { display: block; }
.figures.links li a { color: inherit; text-decoration: none; display: block; }
.figures.links li a:hover { text-decoration: underline; }
.go { margin: 0 0 1.2rem; }
svg.share { display: block; width: 100%; height: 1.6rem; border-radius: .3rem; background: var(--line); margin: 0 0 .8rem; }
td svg.share { height: .7rem; margin: .4rem 0 .2rem; }
svg.swatch { width: .9rem; height: .9rem; border-radius: .2rem; vertical-align: -.1rem; margin-right: .2rem; }
.fill-paid { fill: var(--bar-paid); }
.fill-submitted { fill: var(--bar-doubt); }
.fill-unresolved { fill: var(--bar-unresolved); }
.fill-ready, .fill-staged { fill: var(--bar-ready); }
.fill-held { fill: var(--bar-held); }
.fill-unpayable, .fill-failed { fill: var(--bar-failed); }
.fill-rejected, .fill-cancelled { fill: var(--bar-off); }
.fill-disputed { fill: var(--bar-alarm); }
table.legend { border: 0; background: none; max-width: 44rem; }
.legend tbody th { color: inherit; font-size: 1rem; font-weight: 400; }
.legend tfoot th, .legend tfoot td { border-top: 2px solid var(--line); border-bottom: 0; font-weight: 600; color: inherit; font-size: 1rem; }
td.wide { min-width: 16rem; }
.columns.even { grid-template-columns: 1fr 1fr; }
ul.facts { list-style: none; margin: 0; padding: 0; }
ul.facts li { display: flex; flex-wrap: wrap; gap: .2rem .6rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
ul.facts li:last-child { border-bottom: 0; }
ul.facts li > :last-child { flex: 1; overflow-wrap: anywhere; }
ul.facts small { display: block; }
ul.facts li > b:first-child { min-width: 2.2rem; text-align: right; font-variant-numeric: tabular-nums; }
ul.facts .sign { font-weight: 700; width: 1.2rem; text-align: center; }
.good .sign { color: var(--paid); }
.look .sign { color: var(--unknown); }
li.alarm .sign { color: var(--alarm); }
section { margin-bottom: 1.2rem; }
@media (max-width: 60rem) { .columns.even { grid-template-columns: 1fr; } }
@media (max-width: 44rem) {
  table.legend { display: block; }
  .legend thead { position: static; width: auto; height: auto; clip-path: none; }
  .legend thead, .legend tbody, .legend tfoot { display: block; }
  .legend tr {
    display: grid; grid-template-columns: 1fr 3.6rem 7.4rem; border: 0; background: none; border-radius: 0;
    border-bottom: 1px solid var(--line); margin: 0; padding: .25rem 0;
  }
  .legend th, .legend td { padding: .1rem 0; border: 0; white-space: normal; }
  .legend td.number { text-align: right; font-weight: 400; }
  .legend td[data-head]::before { content: none; }
  .legend tfoot tr { border-top: 2px solid var(--line); border-bottom: 0; }
  .legend tfoot th, .legend tfoot td, .legend tfoot td.number { border: 0; font-weight: 600; }
  td.wide { min-width: 0; }
}
/* people */
table + section, table + p { margin-top: 1.2rem; }
.medium { max-width: 34rem; }
.medium .field { margin-bottom: .8rem; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .6rem 0 0; }
.row .field { flex: 1 1 14rem; margin: 0; }
ul.plain, ul.log { list-style: none; margin: 0; padding: 0; }
ul.plain .card p { margin: 0 0 .4rem; }
ul.plain small { display: block; }
ul.log li { display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
.card ul.log li:last-child { border-bottom: 0; }
ul.log time { color: var(--soft); min-width: 11rem; }
ul.log small { display: block; overflow-wrap: anywhere; }
.card.secret { border: 2px solid var(--unknown); max-width: 34rem; }
output.secret { display: inline-block; font-size: 1.3rem; font-weight: 700; user-select: all; white-space: normal; overflow-wrap: anywhere; }
.filter.log { grid-template-columns: repeat(3, minmax(9rem, 16rem)) auto; justify-content: start; }
@media (max-width: 60rem) { .filter.log { grid-template-columns: 1fr 1fr; } }
/* payees */
.filter.short { grid-template-columns: minmax(16rem, 36rem) auto; justify-content: start; }
@media (max-width: 44rem) { .filter.short { grid-template-columns: 1fr; } }
/* Passkeys */
a.who { color: inherit; padding: .55rem 0; }
.medium { max-width: 40rem; }
.medium .field { margin-bottom: 1rem; }
.warn { color: var(--alarm); font-weight: 600; }
pre.signed {
  margin: 0 0 1.2rem; padding: .8rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--ground);
  border: 1px solid var(--line); border-radius: .4rem; font-size: .875rem; line-height: 1.6;
}
/* Beside the payouts */
.others { margin-bottom: 1.6rem; }
.others th:nth-child(1) { width: 17%; }
.others th:nth-child(4) { width: 33%; }
.others th:nth-child(5) { width: 17%; }
.others td:first-child { overflow-wrap: anywhere; }
ul.options { list-style: none; margin: 0; padding: 0; }
ul.options li { margin-bottom: .4rem; line-height: 1.4; }
td.mono > form.inline { display: block; }
td.mono > form.inline button.quiet { padding-left: 0; }
ul.options li.off { color: var(--soft); }
@media (prefers-reduced-motion: no-preference) { button, nav a { transition: border-color .15s; } }
${chartStyle}`;

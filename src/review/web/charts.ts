/**
 * Charts as SVG, drawn on the server. Widths are percent and heights are pixels, without a `viewBox`: so text keeps its
 * size at any width. Colours are classes, because pages have no inline style. The texts come from the caller.
 */
import { showCount } from '../../core/figures.ts';
import { html, type Html, type Part } from './html.ts';

/** Colours by what they say of money, and the accent for counts. */
type Fill = 'paid' | 'unknown' | 'none' | 'wait' | 'alarm' | 'acc';

const x = (percent: number): string => `${percent.toFixed(2)}%`;
const y = (px: number): string => px.toFixed(1);

/** Steps of a ratio: amounts stay whole numbers until then. */
const ratioSteps = 1_000_000n;
const ratioOf = (part: bigint, whole: bigint): number =>
  Number((part * ratioSteps) / whole) / Number(ratioSteps);

const sum = (sizes: readonly bigint[]): bigint => sizes.reduce((all, size) => all + size, 0n);

/** The least and the largest of some sizes, and zero without any. */
function rangeOf(sizes: readonly bigint[]): readonly [least: bigint, most: bigint] {
  let [least = 0n, most = 0n] = [sizes[0], sizes[0]];
  for (const size of sizes) {
    if (size < least) least = size;
    if (size > most) most = size;
  }
  return [least, most];
}

// ---------------------------------------------------------------- shares

interface Share {
  readonly fill: Fill;
  /** An amount or a count; without size a share has no piece. */
  readonly size: bigint;
  readonly title: string;
}

/** The least width of a piece, in percent; the gap between two. */
const [pieceMin, gap] = [0.7, 0.25];

/** Pieces of a bar in percent: those below the least width get it, and the others share what is left. */
function divide(sizes: readonly bigint[]): readonly number[] {
  const all = sum(sizes);
  const exact = sizes.map((size) => ratioOf(size, all) * 100);
  const small = exact.filter((width) => width < pieceMin);
  const ofLarge = exact.reduce((total, width) => total + (width < pieceMin ? 0 : width), 0);
  const left = 100 - small.length * pieceMin - (sizes.length - 1) * gap;
  return exact.map((width) => (width < pieceMin ? pieceMin : (width / ofLarge) * left));
}

/** One bar, divided by size. */
export function shareBar(shares: readonly Share[], label: string, height = 14): Html {
  const drawn = shares.filter(({ size }) => size > 0n);
  let start = 0;
  const pieces = divide(drawn.map(({ size }) => size)).map((width, place) => {
    const from = start;
    start += width + gap;
    const { fill = 'none', title } = drawn[place] ?? {};
    return html`<rect x="${x(from)}" width="${x(width)}" height="${height}" class="f-${fill}"
      ><title>${title}</title></rect
    >`;
  });
  return html`<svg height="${height}" role="img" aria-label="${label}">${pieces}</svg>`;
}

/** The sign of a colour in a legend or a table. */
export const swatch = (fill: Fill): Html =>
  html`<svg aria-hidden="true"><rect width="12" height="12" rx="2" class="f-${fill}" /></svg>`;

/** A legend. */
export const chartKey = (entries: readonly (readonly [fill: Fill, text: Part])[]): Html =>
  html`<ul class="key">
    ${entries.map(([fill, text]) => html`<li>${swatch(fill)}${text}</li>`)}
  </ul>`;

// ---------------------------------------------------------------- columns

interface Stacked {
  readonly fill: Fill;
  readonly size: bigint;
}

interface Column {
  /** The two lines below the column. */
  readonly name: string;
  readonly under: string;
  readonly href: string;
  readonly title: string;
  /** From the axis upward. */
  readonly parts: readonly Stacked[];
  /** The amber text above the column. */
  readonly mark: string | undefined;
  readonly isNow: boolean;
}

/** Heights of the axis and of the top line, in px; the chart ends below the two lines of names. */
const [axisY, topY, columnsHeight] = [170, 40, 206];
/** The least heights: what may have moved is always seen. */
const partMin: Readonly<Record<Fill, number>> = { paid: 1, unknown: 3, none: 1, wait: 1, alarm: 3, acc: 1 };

/** The first of 1, 2, 4, 6, 8 times a power of ten that is not below: half of it is a round number, too. */
function roundUp(size: bigint): bigint {
  let power = 1n;
  while (power * 10n < size) power *= 10n;
  return [1n, 2n, 4n, 6n, 8n, 10n].map((times) => times * power).find((round) => round >= size) ?? size;
}

function columnMarks({ parts, mark, title, href }: Column, middle: number, width: number, top: bigint): Html {
  let bottom = axisY;
  const pieces = parts
    .filter(({ size }) => size > 0n)
    .map(({ fill, size }) => {
      const height = Math.max(partMin[fill], ratioOf(size, top) * (axisY - topY));
      bottom -= height;
      return html`<rect
        x="${x(middle - width / 2)}"
        width="${x(width)}"
        y="${y(bottom)}"
        height="${y(height)}"
        class="f-${fill}"
      />`;
    });
  const text =
    mark !== undefined &&
    html`<text x="${x(middle)}" y="${y(bottom - 6)}" text-anchor="middle" class="t-unknown">${mark}</text>`;
  return html`<a href="${href}"><title>${title}</title>${pieces}${text}</a>`;
}

function columnNames({ name, under, isNow }: Column, middle: number, isSecond: boolean): Html {
  const classes = [isSecond ? 'hide' : '', isNow ? 't-ink' : ''].join(' ').trim();
  return html`<text x="${x(middle)}" y="187" text-anchor="middle" class="${classes}">${name}</text
    ><text x="${x(middle)}" y="202" text-anchor="middle" class="hide">${under}</text>`;
}

const axisLine = (at: number, kind: 'axis' | 'grid', text: string): Html =>
  html`<line x1="0" x2="100%" y1="${y(at)}" y2="${y(at)}" class="${kind}" /><text
      x="-8"
      y="${y(at + 4)}"
      text-anchor="end"
      >${text}</text
    >`;

/**
 * Stacked columns, each a link, with an axis of three values; without any size only the axis is drawn.
 * @param sayValue a value of the axis in words
 */
export function columnChart(
  columns: readonly Column[],
  label: string,
  sayValue: (size: bigint) => string,
): Html {
  const [, most] = rangeOf(columns.map(({ parts }) => sum(parts.map(({ size }) => size))));
  const top = roundUp(most);
  const step = 100 / columns.length;
  const drawn = columns.map((column, place) => {
    const middle = step * (place + 0.5);
    const isEmpty = column.parts.every(({ size }) => size === 0n);
    return [
      !isEmpty && columnMarks(column, middle, step * 0.636, top),
      columnNames(column, middle, (columns.length - place) % 2 === 0),
    ];
  });
  const lines = most > 0n && [
    axisLine((axisY + topY) / 2, 'grid', sayValue(top / 2n)),
    axisLine(topY, 'grid', sayValue(top)),
  ];
  return html`<svg class="c14" height="${columnsHeight}" role="group" aria-label="${label}">
    ${axisLine(axisY, 'axis', sayValue(0n))}${lines}${drawn}
  </svg>`;
}

// ---------------------------------------------------------------- sizes

interface SizeClass {
  readonly title: string;
  readonly count: number;
  /** The border to the next class; undefined after the last. */
  readonly border: string | undefined;
  /** True for a class to look at. */
  readonly isLarge: boolean;
}

/** The number of payouts in each class of size. */
export function histogram(classes: readonly SizeClass[], label: string): Html {
  const most = Math.max(1, ...classes.map(({ count }) => count));
  const step = 100 / classes.length;
  const bars = classes.map(({ title, count, border, isLarge }, place) => {
    const height = count === 0 ? 0 : Math.max(3, (count / most) * 104);
    const middle = x(step * (place + 0.5) - 0.25);
    return [
      count > 0 &&
        html`<g
          ><title>${title}</title
          ><rect
            x="${x(step * place + 0.5)}"
            width="${x(step - 1)}"
            y="${y(128 - height)}"
            height="${y(height)}"
            rx="2"
            class="${isLarge ? 'f-acc' : 'f-none'}"
          /><text x="${middle}" y="${y(122 - height)}" text-anchor="middle" class="t-ink"
            >${showCount(count)}</text
          ></g
        >`,
      border !== undefined &&
        html`<text
          x="${x(step * (place + 1))}"
          y="146"
          text-anchor="middle"
          class="${place % 2 === 1 ? 'hide' : ''}"
          >${border}</text
        >`,
    ];
  });
  return html`<svg height="152" role="img" aria-label="${label}">
    <line x1="0" x2="100%" y1="128.5" y2="128.5" class="axis" />
    ${bars}
  </svg>`;
}

// ---------------------------------------------------------------- steps

interface Step {
  readonly name: string;
  /** The size in words, with its sign. */
  readonly text: string;
}

interface Total extends Step {
  readonly size: bigint;
}

interface Change extends Step {
  /** Above or below zero. */
  readonly size: bigint;
  readonly fill: Fill;
}

/** Heights of the largest and the smallest value, in px. */
const [stepsTop, stepsBottom] = [35, 124];

function stepMarks(
  place: number,
  step: number,
  top: number,
  height: number,
  fill: Fill,
  { name, text }: Step,
): Html {
  const middle = x(step * (place + 0.5));
  return html`<g
    ><title>${name}: ${text}</title
    ><rect
      x="${x(step * place + step * 0.132)}"
      width="${x(step * 0.736)}"
      y="${y(top)}"
      height="${y(height)}"
      rx="2"
      class="f-${fill}"
    /><text x="${middle}" y="${y(top - 6)}" text-anchor="middle" class="t-ink">${text}</text
    ><text x="${middle}" y="160" text-anchor="middle">${name}</text></g
  >`;
}

/** The way from one total to another: a flat mark at both ends, and a step for each change between. */
export function stepsChart(from: Total, changes: readonly Change[], to: Total, label: string): Html {
  const levels = [from.size];
  for (const { size } of changes) levels.push((levels.at(-1) ?? 0n) + size);
  const all = [...levels, to.size];
  const [low, top] = rangeOf(all);
  const range = top === low ? 1n : top - low;
  const yOf = (level: bigint): number => stepsTop + ratioOf(top - level, range) * (stepsBottom - stepsTop);
  const step = 100 / (changes.length + 2);
  const bridge = (place: number, level: bigint): Html =>
    html`<line
      x1="${x(step * place + step * 0.868)}"
      x2="${x(step * (place + 1) + step * 0.132)}"
      y1="${y(yOf(level))}"
      y2="${y(yOf(level))}"
      class="axis"
      stroke-dasharray="2 3"
    />`;
  const drawn = changes.map((change, place) => {
    const [before, after] = [yOf(levels[place] ?? 0n), yOf(levels[place + 1] ?? 0n)];
    const height = Math.max(2, Math.abs(after - before));
    return [
      bridge(place, levels[place] ?? 0n),
      stepMarks(place + 1, step, Math.min(before, after), height, change.fill, change),
    ];
  });
  return html`<svg height="168" class="wf hide" role="img" aria-label="${label}">
    ${stepMarks(0, step, yOf(from.size) - 2, 4, 'none', from)}${drawn}${bridge(changes.length, levels.at(-1) ?? 0n)}${stepMarks(changes.length + 1, step, yOf(to.size) - 2, 4, 'none', to)}
  </svg>`;
}

// ---------------------------------------------------------------- days as squares

interface DaySquare {
  readonly name: string;
  /** A sign or a count. */
  readonly sign: string;
  /** `yes` agrees, `bad` does not, `ask` is not known, `off` has nothing, `now` is not over. */
  readonly kind: 'yes' | 'bad' | 'ask' | 'off' | 'now';
  readonly title: string;
  /** Undefined for a day without a page. */
  readonly href: string | undefined;
}

/** Days in a row, each a link with its state. */
export const calendar = (days: readonly DaySquare[]): Html =>
  html`<ol class="cal">
    ${days.map(({ name, sign, kind, title, href }) => {
      // The title names the square: its contents are short for the eye.
      const square = html`<small aria-hidden="true">${name}</small><b aria-hidden="true">${sign}</b>`;
      return href === undefined
        ? html`<li class="${kind}"><span title="${title}">${square}</span></li>`
        : html`<li class="${kind}"><a href="${href}" title="${title}">${square}</a></li>`;
    })}
  </ol>`;

// ---------------------------------------------------------------- lines

interface Line {
  readonly kind: 'l1' | 'l2';
  /** A value for each place; undefined breaks the line. */
  readonly values: readonly (number | undefined)[];
}

interface LineChart {
  readonly label: string;
  readonly lines: readonly Line[];
  /** The words of each place; undefined for a place without a mark. */
  readonly titles: readonly (string | undefined)[];
  /** Shaded places, with the reason. */
  readonly shades: readonly { readonly from: number; readonly to: number; readonly title: string }[];
  /** The value of the grey line. */
  readonly guide: number;
}

/** Units of the drawing: 10 for each place, 80 for the height. */
const [unit, lineHeight] = [10, 80];

/** Draws each unbroken stretch; one value alone becomes a short stroke. */
function drawLine({ kind, values }: Line, yOf: (value: number) => number): Html[] {
  const stretches: string[][] = [];
  let isBroken = true;
  for (const [place, value] of values.entries()) {
    if (value !== undefined) {
      const point = `${unit * (place + 0.5)},${y(yOf(value))}`;
      if (isBroken) stretches.push([point]);
      else stretches.at(-1)?.push(point);
    }
    isBroken = value === undefined;
  }
  return stretches.map((points) => {
    const [first = ''] = points;
    const [left = '', height = ''] = first.split(',');
    const shown = points.length > 1 ? points : [first, `${Number(left) + 3},${height}`];
    return html`<polyline points="${shown.join(' ')}" class="${kind} ns" />`;
  });
}

/** Values over time. The drawing is stretched to its width, so it bears no text. */
export function lineChart({ label, lines, titles, shades, guide }: LineChart): Html {
  const width = unit * titles.length;
  const top = Math.max(guide * 1.25, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const yOf = (value: number): number => lineHeight - (value / top) * lineHeight;
  return html`<svg
    class="sp"
    height="96"
    viewBox="0 -4 ${width} 88"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${shades.map(
      ({ from, to, title }) =>
        html`<rect x="${unit * from}" width="${unit * (to - from)}" y="0" height="${lineHeight}" class="shade"
          ><title>${title}</title></rect
        >`,
    )}
    <line x1="0" x2="${width}" y1="${lineHeight}" y2="${lineHeight}" class="axis ns" />
    <line x1="0" x2="${width}" y1="${y(yOf(guide))}" y2="${y(yOf(guide))}" class="grid ns" />
    ${lines.map((line) => drawLine(line, yOf))}${titles.map(
      (title, place) =>
        title !== undefined &&
        html`<rect x="${unit * place}" width="${unit}" y="0" height="${lineHeight}" class="hit"
          ><title>${title}</title></rect
        >`,
    )}
  </svg>`;
}

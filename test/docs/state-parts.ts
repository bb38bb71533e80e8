/** What a life cycle is drawn and told with. */
import { table } from './markdown.ts';

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

/** An id that Mermaid reads: it takes a hyphen for the beginning of an arrow. */
const idOf = (status: string): string => status.replaceAll('-', '_');

/** Moves between the same two statuses share an arrow. */
export function drawStates(
  moves: readonly Move[],
  starts: readonly string[],
  ends: readonly string[],
): string {
  const named = new Set(moves.flatMap(({ from, to }) => [from, to]).filter((one) => one.includes('-')));
  const arrows = Map.groupBy(moves, ({ from, to }) => `${idOf(from)} --> ${idOf(to)}`);
  const drawn = Array.from(arrows, ([arrow, shared]) => {
    const labels = [...new Set(shared.flatMap(({ label }) => label ?? []))];
    return labels.length === 0 ? arrow : `${arrow}: ${labels.join(' / ')}`;
  });
  const lines = [
    ...Array.from(named, (status) => `state "${status}" as ${idOf(status)}`),
    ...starts.map((status) => `[*] --> ${idOf(status)}`),
    ...drawn,
    ...ends.map((status) => `${idOf(status)} --> [*]`),
  ];
  return ['```mermaid', 'stateDiagram-v2', ...lines.map((line) => `    ${line}`), '```'].join('\n');
}

interface Caused<Cause extends string> {
  readonly from: string;
  readonly to: string;
  readonly cause: Cause;
}

/** Each cause with what happened, from where, and to what. */
export function describeMoves<Cause extends string>(
  transitions: readonly Caused<Cause>[],
  meaningOf: (cause: Cause) => string,
): string {
  const byCause = Map.groupBy(transitions, ({ cause }) => cause);
  const rows = Array.from(byCause, ([cause, moves]) => {
    const froms = [...new Set(moves.map(({ from }) => `\`${from}\``))];
    const tos = [...new Set(moves.filter(({ from, to }) => from !== to).map(({ to }) => `\`${to}\``))];
    return [`\`${cause}\``, meaningOf(cause), froms.join(', '), tos.length === 0 ? 'stays' : tos.join(', ')];
  });
  return table(['cause', 'what happened', 'from', 'to'], rows);
}

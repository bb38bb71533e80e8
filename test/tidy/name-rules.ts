/** Words that have gone: each had another word, in the trade or in this house (docs/architecture.md, the glossary). */
import { isNode } from './source.ts';
import type { Finding, Node, Source } from './source.ts';

/** A run of words inside an exported name, in lower case → what to write instead. */
const goneWords: Readonly<Record<string, string>> = {
  desk: 'scheduler, queue, service, context, or the thing’s own name',
  'line gate': 'BreakerGate',
  'line stop': 'halt',
  'line pause': 'pause',
  'line state': 'BreakerState',
  pace: 'adaptive limit',
  'fair places': 'FairSemaphore',
  turns: 'KeyedMutex',
  people: 'operator',
  'at rest': 'concluded',
  'last look': 'pre-send checks',
  'look up': 'lost-journal probe',
  'put back': 'returned unsent',
  contested: 'referenceConflict',
  'let through': 'delivered',
  'turned away': 'rejectedByGateway',
  withheld: 'abortedBeforeSend',
  judging: 'matching',
  bench: 'context',
  kit: 'context',
  passage: 'the thing’s own name',
  'our word': 'bookStatus',
  'borne out': 'confirmedLater',
  withdrawn: 'retracted',
  elsewhere: 'otherDayLines',
  stray: 'carriedLine',
  vault: 'originals',
  courier: 'downloader',
  opener: 'unpacker',
  stamp: 'journalIdentity',
  holder: 'owner',
  bell: 'signal, notify',
  rounds: 'daily jobs',
  breathe: 'yieldToEventLoop',
  trifle: 'write probe',
  upkeep: 'schedule',
  loudness: 'severity',
  'look ms': 'pollMs',
  tell: 'report, notify',
};

/** Exported names that bear a word which has gone. */
export function findGoneWords(source: Source): Finding[] {
  if (!source.path.startsWith('src/')) return [];
  return source.nodes
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .flatMap((node) => findNames(node).map((name) => ({ name, node })))
    .flatMap(({ name, node }) =>
      findIn(name).map((word) => ({
        path: source.path,
        line: source.lineOf(node),
        what: `${name}: instead of "${word}" write ${goneWords[word]}`,
      })),
    );
}

function findIn(name: string): string[] {
  const words = ` ${name
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .trim()} `;
  return Object.keys(goneWords).filter((word) => words.includes(` ${word} `));
}

/** What an export declares. */
function findNames({ declaration }: Node): string[] {
  if (!isNode(declaration)) return [];
  const declared = Array.isArray(declaration['declarations']) ? declaration['declarations'] : [declaration];
  return declared.filter(isNode).flatMap(({ id }) => (isNode(id) ? [String(id['name'])] : []));
}

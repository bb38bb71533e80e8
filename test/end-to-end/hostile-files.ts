/** Payout files that nobody would send who means well; the same for the same seed. */
import { header } from '../support/rehearsal.ts';
import { Dice } from '../support/dice.ts';

export interface HostileFile {
  readonly name: string;
  readonly bytes: Buffer;
}

const row = (id: string, amount = '1.00', more = ''): string =>
  `${id},MSISDN,0812345678,,${amount},${id},${more}`;
const file = (...rows: readonly string[]): string => `${[header, ...rows].join('\n')}\n`;
const megabyte = 1_048_576;

/** Each is told which number it has, so that no two files are the same. */
const kinds: readonly ((id: string, dice: Dice) => string | Buffer)[] = [
  (_id, dice) => Buffer.from(Array.from({ length: 4_096 }, () => dice.whole(0, 255))),
  () => '',
  () => header,
  (id) => `${header}\n${row(id)}`,
  (id) => file(`${row(id)}\0`),
  (id) => file(`"${id}`),
  (id) => `${header}\n${'"'.repeat(megabyte)}${id}\n`,
  (id) => `${header}\n${'x'.repeat(5 * megabyte)}${id}\n`,
  (id) => `${header}\n${','.repeat(megabyte)}${id}\n`,
  (id) => `${header}\n${`${id}\n`.repeat(2_000)}`,
  (id) => `${Array.from({ length: 20_000 }, (_, place) => `c${place}`).join(',')}\n${id}\n`,
  (id) => `payoutId,payoutId,${header}\n${row(id)}\n`,
  (id) => `amount,AMOUNT,${header}\n1,2,${row(id)}\n`,
  (id) => file(row(id, '1e9'), row(`${id}b`, '-1.00'), row(`${id}c`, 'NaN'), row(`${id}d`, '１.００')),
  (id) => file(row(id, '0.00'), row(`${id}b`, '99999999999999999999'), row(`${id}c`, '1.001')),
  (id) => file(row(`=cmd|'/c calc'!A1${id}`), row(`@SUM(1)${id}`), row(`+${id}`)),
  (id) => file(row(`\u001b[2J${id}`), row(`\u202e${id}`), row(`\u009b${id}`)),
  (id) => file(row('P'.repeat(10_000) + id)),
  (id) => file(...Array.from({ length: 500 }, () => row(id))),
  (id) => Buffer.from(`\uFEFF${file(row(id))}`, 'utf16le'),
  (id) => Buffer.concat([Buffer.from(`\uFEFF${file(row(id))}`, 'utf16le'), Buffer.from([0xd8])]),
  (id) => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(file(row(id)))]),
  (id) => Buffer.concat([Buffer.from(file(row(id))), Buffer.from([0xc3, 0x28, 0x0a])]),
  (id) => Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.from(id)]),
  (id) => JSON.stringify({ id, rows: Array.from({ length: 1_000 }, () => ({})) }),
  (id) => file(row(id)).replaceAll('\n', '\r'),
  (id) => file(row(id)).replaceAll(',', ';').replace(';', ','),
  (id) => `${header},\u001b]0;x\u0007\n${row(id)},"a\nb\u2028c"\n`,
  (id, dice) => {
    const bytes = Buffer.from(file(...Array.from({ length: 50 }, (_, place) => row(`${id}-${place}`))));
    for (let times = 0; times < 20; times += 1) bytes[dice.whole(0, bytes.length - 1)] = dice.whole(0, 255);
    return bytes;
  },
  (id, dice) => {
    const bytes = Buffer.from(file(...Array.from({ length: 50 }, (_, place) => row(`${id}-${place}`))));
    return bytes.subarray(0, dice.whole(0, bytes.length - 1));
  },
];

const names: readonly ((number: number) => string)[] = [
  (number) => `h${number}.csv`,
  (number) => `h ${number} "x".csv`,
  (number) => `h${number}\u001b[2J.csv`,
  (number) => `h${number}\u202evsc.exe`,
  (number) => `h${number}\nforged line.csv`,
  (number) => `${'ก'.repeat(70)}${number}.csv`,
  (number) => `h${number}.csv.result.csv`,
];

/** So many files hold each kind once. */
export const hostileKinds = kinds.length;

/** So many files, of every kind in turn. */
export function makeHostileFiles(count: number, seed: number): readonly HostileFile[] {
  const dice = new Dice(seed);
  return Array.from({ length: count }, (_, number) => {
    const made = kinds[number % kinds.length]?.(`H${number}`, dice) ?? '';
    return { name: names[number % names.length]?.(number) ?? '', bytes: Buffer.from(made) };
  });
}

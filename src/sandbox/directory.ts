import type { DirectoryPayee } from './table.ts';

/** A payee as known to the payee's bank. */
interface Payee {
  readonly state: 'active' | 'inactive' | 'unknown';
  /** English name; empty for an unknown payee. */
  readonly name: string;
  readonly nameTh: string;
}

const firstNames = [
  ['Arthit', 'อาทิตย์'],
  ['Boonsri', 'บุญศรี'],
  ['Chalerm', 'เฉลิม'],
  ['Daoruang', 'ดาวเรือง'],
  ['Ekachai', 'เอกชัย'],
  ['Jintana', 'จินตนา'],
  ['Kittipong', 'กิตติพงษ์'],
  ['Lamai', 'ละไม'],
  ['Manop', 'มานพ'],
  ['Nonglak', 'นงลักษณ์'],
  ['Orathai', 'อรทัย'],
  ['Pramote', 'ปราโมทย์'],
  ['Ratana', 'รัตนา'],
  ['Suchart', 'สุชาติ'],
  ['Tawee', 'ทวี'],
  ['Wilai', 'วิไล'],
] as const;

const lastNames = [
  ['Bunsom', 'บุญสม'],
  ['Chankaew', 'จันทร์แก้ว'],
  ['Deesom', 'ดีสม'],
  ['Intharat', 'อินทรัตน์'],
  ['Kaewmanee', 'แก้วมณี'],
  ['Lertwong', 'เลิศวงศ์'],
  ['Mansuk', 'มั่นสุข'],
  ['Nakdee', 'นาคดี'],
  ['Onsri', 'อ่อนศรี'],
  ['Phumjai', 'ภูมิใจ'],
  ['Raksa', 'รักษา'],
  ['Sangthong', 'แสงทอง'],
  ['Thongchai', 'ธงชัย'],
  ['Udomsap', 'อุดมทรัพย์'],
  ['Wongdee', 'วงศ์ดี'],
  ['Yenjai', 'เย็นใจ'],
] as const;

/** Hashes a text to 32 bits (FNV-1a): the same proxy ID always has the same holder. */
function spread(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (let place = 0; place < text.length; place += 1) {
    value = Math.imul(value ^ text.charCodeAt(place), 0x01_00_01_93);
  }
  return (value ^ (value >>> 15)) >>> 0;
}

/** The invented holder of a proxy ID outside the directory, always the same. */
export function generatePayeeName(proxyNo: string): { readonly name: string; readonly nameTh: string } {
  const value = spread(proxyNo);
  const first = firstNames[value % firstNames.length] ?? firstNames[0];
  const last = lastNames[Math.floor(value / firstNames.length) % lastNames.length] ?? lastNames[0];
  return { name: `${first[0]} ${last[0]}`, nameTh: `${first[1]} ${last[1]}` };
}

/** The form of a name for comparison, without case and spaces. */
export function normaliseName(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '');
}

const unknownPayee: Payee = { state: 'unknown', name: '', nameTh: '' };

/** Finds the holder of a proxy ID; `sentName` is the request's name, empty for none (§4 rule 5). */
export type FindPayee = (proxyNo: string, sentName: string) => Payee;

/** Looks up payees. An unlisted payee is active and has the name that was sent, unless only listed payees count. */
export function createDirectory(payees: readonly DirectoryPayee[], knownPayeesOnly: boolean): FindPayee {
  const listed = new Map(
    payees.map(({ proxyNo, state, ...own }) => {
      const { name, nameTh } = generatePayeeName(proxyNo);
      return [proxyNo, { state, name: own.name ?? name, nameTh: own.nameTh ?? nameTh }];
    }),
  );
  return (proxyNo, sentName) => {
    const payee = listed.get(proxyNo);
    if (payee !== undefined) return payee;
    if (knownPayeesOnly) return unknownPayee;
    const { name, nameTh } = generatePayeeName(proxyNo);
    return { state: 'active', name: sentName === '' ? name : sentName, nameTh };
  };
}

/** The code of a payee check or a transfer for its payee (§2.4); undefined when it can be paid. */
export function findPayeeRefusal(payee: Payee, sentName: string): 'EV006' | 'EV033' | 'EV051' | undefined {
  if (payee.state === 'unknown') return 'EV006';
  if (payee.state === 'inactive') return 'EV033';
  if (sentName === '' || sentName === payee.name) return undefined;
  return normaliseName(sentName) === normaliseName(payee.name) ? undefined : 'EV051';
}

// node verify.mjs EVIDENCE.json [HEADS.txt..]: checks the evidence with this script alone, and heads kept outside.
// The exit code is 0 when everything holds, 1 when something does not, 2 when something was left unchecked.
import { createPublicKey, hash, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [file, ...headFiles] = process.argv.slice(2);
const evidence = JSON.parse(readFileSync(file, 'utf8'));
const outside = headFiles.map((name) => readFileSync(name, 'utf8')).join('\n');
const isWhole = evidence.numbers === 'whole';
const [faults, unchecked, told] = [[], [], []];
const check = (isRight, what) => isRight || faults.push(what);
const leave = (isLeft, what) => isLeft && unchecked.push(what);
const sha256 = (text, as = 'hex') => hash('sha256', text, as);

// The encoding of an instruction and of a sent order: each part after its length in bytes.
const encode = (parts) =>
  parts.map((one) => (one === null ? '-' : `${Buffer.byteLength(one)}:${one}`)).join(',');
const pick = (record, names) => names.split(' ').map((name) => record[name] ?? null);
const asked = 'payoutId proxyType proxyNo payeeName amountSatang reference1 reference2';
const digestOf = (place, instruction) =>
  sha256(encode(['instruction/1', ...place, ...pick(instruction, asked)]), 'base64url');
const commitTo = ({ salt, digest }) =>
  salt ? sha256(['paydrop payout start v1', salt, digest].join('\n'), 'base64url') : digest;
const sent =
  'transRefNo channelId termId companyId payerAccount tranDate tranTime ' +
  'proxyType proxyNo proxyName amountText reference1 reference2';
const hashOrder = (order) => sha256(encode(['order/1', ...pick(order, sent).map((part) => part ?? '')]));
// Names enter the hashed text as salted hashes; the detail beside it has them in plain text until they are erased.
const hashCell = ({ salt, value }) => sha256(`${salt}\n${value}`);
function checkNames(hashed, detail, what) {
  const { salt, ...shown } = JSON.parse(detail ?? '{}');
  const said = JSON.parse(hashed);
  for (const [name, value] of Object.entries(shown)) {
    const isName = typeof value === 'string' && typeof said[name]?.sha256 === 'string';
    const isSame = JSON.stringify(said[name]) === JSON.stringify(value);
    check(isName ? hashCell({ salt, value }) === said[name].sha256 : isSame, what);
  }
}

const events = new Map(); // the hash of each event, by its chain and number
const decided = new Set(); // numbers of proposals that events of the payout name
for (const { batch, state, chain, instruction, versions, attempts } of evidence.rows) {
  const row = `row ${state.rowNo} of batch ${batch.batchId}`;
  leave(!isWhole, `${row}: payee, amount and what was sent (numbers are masked)`);
  leave(isWhole && !instruction, `${row}: payee and amount (erased, or never read)`);
  check(!isWhole || !instruction || commitTo(chain) === chain.start, `${row}: what its events begin with`);
  let [previous, status] = [chain.start, undefined];
  const details = [];
  for (const { seq, hash: kept, text, detail } of chain.events) {
    const parts = text.split('\n');
    const hashed = ['paydrop payout event v1', previous ?? '-', text].join('\n');
    check(kept === sha256(hashed, 'base64url'), `${row}: event ${seq}`);
    const place = [batch.companyId, batch.batchId, state.rowNo, seq].join();
    check(parts.slice(0, 4).join() === place, `${row}: place of event ${seq}`);
    check(status === undefined || parts[4] === status, `${row}: the status before event ${seq}`);
    checkNames(parts[9], detail, `${row}: a name in event ${seq}`);
    details.push(JSON.parse(parts[9]));
    decided.add(details.at(-1).proposal);
    events.set(`payouts ${seq}`, kept);
    [previous, status] = [kept, parts[5]];
  }
  check((status ?? state.status) === state.status, `${row}: its status`);
  for (const { attemptNo, order, orderHash, ...is } of attempts) {
    const isOfIt = ({ text, detail }) =>
      text.includes(orderHash) || JSON.parse(detail ?? '{}').orderHash === orderHash;
    check(chain.events.some(isOfIt), `${row}: attempt ${attemptNo} in no event`);
    check(
      !isWhole || !instruction || hashOrder(order) === orderHash,
      `${row}: what attempt ${attemptNo} sent`,
    );
    const shows = details.findLast((one) => one.shows?.startsWith(`[${attemptNo},`))?.shows;
    const now = JSON.stringify([attemptNo, is.status, is.sysRefNo, is.feeText]);
    check(shows === undefined || shows === now, `${row}: what the bank said of attempt ${attemptNo}`);
    leave(shows === undefined, `${row}: what the bank said of attempt ${attemptNo}`);
  }
  const place = [evidence.companyId, batch.batchId, `${state.rowNo}`];
  const steps = [versions[0]?.replaced, ...versions.map((version) => version.instruction)];
  const digests = [chain.digest, ...versions.map((version) => version.digest)];
  const latest = versions.at(-1)?.instruction ?? instruction;
  check(JSON.stringify(latest) === JSON.stringify(instruction), `${row}: its latest version`);
  steps[steps.length - 1] = instruction;
  for (const [at, one] of steps.entries())
    check(!isWhole || !one || digestOf(place, one) === digests[at], `${row}: version ${at} of what it asks`);
  leave(
    isWhole && instruction && steps.some((one, at) => !one && digests[at]),
    `${row}: versions that are not shown`,
  );
  const promised = details.flatMap(({ asksFor }) => asksFor ?? []);
  const isPromised = promised.join() === versions.map(commitTo).join();
  leave(promised.length < versions.length && instruction, `${row}: versions that no event tells of`);
  check(
    isPromised || promised.length < versions.length || !instruction,
    `${row}: the versions of what it asks`,
  );
  const amount = instruction?.amountSatang ?? state.amountSatang;
  check(!isWhole || amount === state.amountSatang, `${row}: its amount`);
}
const bytes = (coded) => Buffer.from(coded, 'base64url');
const lineOf = (text, name) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
const showBaht = (satang) => `${satang.padStart(3, '0').replace(/(..)$/, '.$1')} baht`;
function isSigned({ text, clientDataJson, authenticatorData, publicKey, signature, rpId, origin }) {
  const key = createPublicKey({ key: bytes(publicKey), format: 'der', type: 'spki' });
  const signed = Buffer.concat([bytes(authenticatorData), hash('sha256', bytes(clientDataJson), 'buffer')]);
  const client = JSON.parse(bytes(clientDataJson));
  const isOfText = client.challenge === sha256(text, 'base64url') && client.type === 'webauthn.get';
  const isOfPlace =
    client.origin === origin && bytes(authenticatorData).toString('hex').startsWith(sha256(rpId));
  const isVerified = (bytes(authenticatorData)[32] & 5) === 5; // a person was there, and the authenticator made sure who
  const isOfKey = verify(
    key.asymmetricKeyType === 'ed25519' ? null : 'sha256',
    signed,
    key,
    bytes(signature),
  );
  return isOfText && isOfPlace && isVerified && isOfKey;
}
for (const { proposalId, history, signatures, items, ...is } of evidence.proposals) {
  const name = `proposal ${proposalId}`;
  let previous = null;
  for (const { seq, text, hash: kept, cells } of history) {
    const said = JSON.parse(text);
    const isNext = said.previousHash === previous && said.subject === proposalId && said.seq === seq;
    check(sha256(text) === kept && isNext, `${name}: event ${seq}`);
    for (const [cell, value] of Object.entries(cells ?? {}))
      check(hashCell(value) === said.cells[cell], `${name}: ${cell} in event ${seq}`);
    events.set(`proposals ${seq}`, (previous = kept));
  }
  const said = history.map(({ text, cells }) => ({ ...JSON.parse(text), shown: cells }));
  const [proposed, approved] = [said[0], said.findLast(({ kind }) => kind === 'approved')];
  const { facts = {}, shown, byPerson } = proposed ?? {};
  const isSame = ['decision', 'digest', 'people', 'totalSatang'].every((fact) => facts[fact] === is[fact]);
  check(isSame && said.at(-1)?.kind === is.status, `${name}: what was proposed, or what became of it`);
  const isMaker =
    byPerson === is.makerId && (!shown || (shown.maker.value === is.maker && shown.note.value === is.note));
  check(isMaker, `${name}: who proposed it, or why`);
  leave(!decided.has(proposalId), `${name}: that it is about this payout`);
  const approver =
    is.people > 1 || is.checkerId !== null
      ? { id: is.checkerId, name: is.checker }
      : { id: is.makerId, name: is.maker };
  const isApprover =
    !approved ||
    (approved.byPerson === approver.id &&
      (!approved.shown || approved.shown.checker?.value === approver.name));
  check(isApprover, `${name}: who approved it`);
  const signedBy = new Set();
  for (const one of signatures) {
    check(isSigned(one), `a signature under ${name}`);
    const isOf = (line, value) =>
      check(lineOf(one.text, line) === `${value}`, `a signature under ${name}: its ${line} is another’s`);
    isOf('proposal', proposalId);
    isOf('digest', facts.digest);
    isOf('decision', facts.decision);
    isOf('total', showBaht(facts.totalSatang ?? ''));
    isOf('journal', evidence.journalId);
    isOf('company', evidence.companyId);
    const isApprovers = one.personId === approver.id;
    const [signer] = isApprovers
      ? [`${approver.id} ${approver.name}`]
      : ((lineOf(one.text, 'person') ?? '').match(/^\d+ .+$/) ?? []);
    isOf('person', signer);
    check(
      one.proposalId === proposalId && signer?.split(' ')[0] === `${one.personId}`,
      `a signature under ${name}: whose it is`,
    );
    if (isApprovers) signedBy.add(approver.id);
    const batches = one.text.split('\n').filter((line) => line.startsWith('batch: '));
    const isAbout =
      is.decision !== 'approve-batch' || items.every(({ key }) => batches.includes(`batch: ${key}`));
    check(isAbout, `a signature under ${name}: its batch is another’s`);
    const key = sha256(bytes(one.publicKey));
    told.push(
      `${name}: signed by ${signer} with passkey ${key.slice(0, 4)} ${key.slice(4, 8)}: compare it with theirs`,
    );
  }
  if (!approved || signedBy.has(approver.id)) continue;
  told.push(`${name}: NOT SIGNED`);
  leave(true, `${name}: who approved it (NOT SIGNED)`);
}

// Each event leads up the tree of its day to the root in the head of that day.
const join = (left, right) => sha256(`node\n${left}\n${right}`);
for (const { chain, seq, eventHash, head, steps } of evidence.proofs) {
  let own = sha256(`leaf\n${eventHash}`);
  for (const { side, hash: beside } of steps) own = side === 'left' ? join(beside, own) : join(own, beside);
  const line = evidence.heads.find((one) => one.hash === head)?.text.match(new RegExp(`^${chain} .+$`, 'm'));
  check(
    events.get(`${chain} ${seq}`) === eventHash && line?.[0].split(' ')[4] === own,
    `event ${seq} of ${chain} under the head of its day`,
  );
}
for (const { text, hash: kept } of evidence.heads) {
  check(sha256(text) === kept && text.includes(`journal ${evidence.journalId}\n`), `the head ${kept}`);
  check(
    headFiles.length === 0 || outside.includes(`${text}head ${kept}\n`),
    `the head ${kept} is not among those given`,
  );
}
const proved = new Set(evidence.proofs.map(({ chain, seq }) => `${chain} ${seq}`));
const open = [...events.keys()].filter((event) => !proved.has(event));
leave(open.length > 0, `when ${open.length} events were written (under no head yet)`);
leave(
  evidence.heads.length > 0 && headFiles.length === 0,
  'the heads of days (none were given that were kept elsewhere)',
);
leave(evidence.heads.length === 0, 'which journal it is of (no head names it)');
console.log(
  `${events.size} events, ${open.length} of them under no head yet; ${evidence.heads.length} heads, ${headFiles.length} files of heads`,
);
for (const line of told) console.log(line);
if (unchecked.length > 0) console.log(`NOT CHECKED: ${unchecked.join('; ')}`);
const rest = unchecked.length > 0 ? 'all else holds' : 'all of it holds';
console.log(faults.length > 0 ? `NOT PROVED: ${faults.join('; ')}` : rest);
process.exitCode = faults.length > 0 ? 1 : unchecked.length > 0 ? 2 : 0;

/** A journal of which everything is told: people, keys, approvals, payouts, corrections, reports and registrations. */
import { setTimeout } from 'node:timers/promises';
import { inEnglish } from '../../src/core/message.ts';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { toSatang } from '../../src/core/money.ts';
import { Challenges } from '../../src/review/challenges.ts';
import {
  askForPasskey,
  askForSignature,
  enrolPasskey,
  type Question,
  type Signer,
  type SigningContext,
} from '../../src/review/passkeys.ts';
import type { ApprovalPolicy } from '../../src/review/rules/approval.ts';
import type { Decider, Target } from '../../src/review/rules/proposal.ts';
import type { Decision } from '../../src/review/rules/terms.ts';
import { readAgreedPolicy } from '../../src/review/policy.ts';
import { startSession } from '../../src/review/sessions.ts';
import { approveSigned, readMatter } from '../../src/review/signed-approval.ts';
import { makeToken, revokeToken } from '../../src/review/tokens.ts';
import type { Store } from '../../src/store/store.ts';
import { Authenticator } from '../support/authenticator.ts';
import { noonMs, payer } from '../support/core-fixtures.ts';
import { firstBatchId, ingest, makeRow, secondBatchId } from '../support/journal-fixtures.ts';
import { Users } from '../support/persons.ts';
import {
  calledBack,
  intentOf,
  makeRegistrationRow,
  runRegistrations,
} from '../support/registration-journal.ts';
import { propose } from '../support/review.ts';
import { Theatre } from '../support/theatre.ts';

const place = { origin: 'http://localhost:8484', rpId: 'localhost' };
const byTwo: ApprovalPolicy = { when: 'always', aboveSatang: toSatang(0n), people: 2 };
const challengeOf = (options: object): string => (options as { readonly challenge: string }).challenge;

/** Fills a journal as people, the worker and the bank would. */
class Telling {
  readonly store: Store;
  readonly users: Users;
  readonly theatre: Theatre;
  readonly challenges = new Challenges<Question>();
  readonly key = new Authenticator();

  constructor(store: Store) {
    this.store = store;
    this.users = new Users(store);
    this.theatre = new Theatre(store, 'none', noonMs);
  }

  get signing(): SigningContext {
    return { ...this.users.context, place, challenges: this.challenges };
  }

  get review() {
    return {
      journal: this.store,
      clock: this.users.clock,
      rules: { payoutSatangMax: null },
      payerAccount: payer.payerAccount,
      people: 2,
      expireDays: 7,
      signed: 'required',
    } as const;
  }

  async signer(name: string): Promise<Signer> {
    return { person: await this.users.find(name), proof: 'session', sessionHash: `session of ${name}` };
  }

  /** Four users: boon makes, nok checks with a passkey, mali and anan are admins. */
  async people(): Promise<void> {
    const { users, store, key } = this;
    await users.add('mali', 'admin', null);
    const mali = await users.find('mali');
    await users.add('boon', 'maker', mali);
    await users.add('nok', 'checker', mali);
    users.clock.ms += 1;
    const nok = await this.signer('nok');
    const answer = key.create(challengeOf(await askForPasskey(this.signing, nok)));
    await enrolPasskey(this.signing, nok, JSON.stringify(answer), 'phone');
    const { personId } = nok.person;
    await users.ask({ kind: 'confirm-passkey', personId, credentialId: key.credentialId }, mali);
    for (const label of ['laptop', 'lost'])
      await makeToken(users.context, await users.prove('boon'), { label, days: 9 });
    await revokeToken(users.context, await users.prove('boon'), 2);
    const { clock, restoredAtMs } = users;
    const kept = await store.personPassword('nok');
    if (kept === undefined) throw new Error('nok is not there');
    await startSession({ store, clock, restoredAtMs }, kept, clock.now());
  }

  /** Boon proposes, nok approves with the passkey. */
  async decide(decision: Decision, target: Target): Promise<void> {
    const { store, users, key } = this;
    users.clock.ms += 1_000;
    const { personId } = await users.find('boon');
    const boon: Decider = { personId, name: 'boon' };
    const end = await propose(
      this.review,
      { decision, targets: [target], note: 'seen', evidence: null },
      boon,
    );
    if (end.kind !== 'waiting') throw new Error(JSON.stringify(end));
    const scene = { isSandbox: false, companyId: payer.companyId, journalId: store.journalId };
    const nok = await this.signer('nok');
    const asked = await askForSignature(
      this.signing,
      nok,
      await readMatter(this.review, scene, end.proposal),
    );
    if ('why' in asked) throw new Error(inEnglish(asked.why));
    const answer = JSON.stringify(key.get(challengeOf(asked.options)));
    const done = await approveSigned(this.review, this.signing, nok, end.proposal.proposalId, answer);
    if (done.kind !== 'applied') throw new Error(JSON.stringify(done));
  }

  async approve(batchId: string): Promise<void> {
    const waiting = await this.store.approvalOf(batchId);
    await this.decide('approve-batch', { kind: 'batch', key: batchId, version: waiting?.version ?? '' });
  }

  /** A second admin, for whom it waits to be confirmed that dao is added. */
  async secondAdmin(): Promise<void> {
    const { users } = this;
    const mali = await users.find('mali');
    await users.add('anan', 'admin', mali);
    const agreed = { 'approval.signed': 'required', 'approval.when': 'always', 'approval.people': 2 };
    await readAgreedPolicy(users.context, agreed);
    await users.ask({ kind: 'add', name: 'dao', displayName: 'Khun Dao', role: 'checker' }, mali);
  }

  /** The worker runs the batch; whatever it waits for comes soon, on either engine. */
  async run(batchId: string): Promise<void> {
    const { time } = this.theatre;
    const work = this.theatre.start(batchId).then(() => true);
    while (!(await Promise.race([work, setTimeout(2, false)]))) await time.advance(10);
  }

  /** Boon proposes that the batch is paid; nobody has looked at it yet. */
  async propose(batchId: string): Promise<void> {
    const { store, users } = this;
    users.clock.ms += 1_000;
    const { personId } = await users.find('boon');
    const target = {
      kind: 'batch',
      key: batchId,
      version: (await store.approvalOf(batchId))?.version ?? '',
    } as const;
    const wish = { decision: 'approve-batch', targets: [target], note: 'seen', evidence: null } as const;
    const end = await propose(this.review, wish, { personId, name: 'boon' });
    if (end.kind !== 'waiting') throw new Error(JSON.stringify(end));
  }

  async payout(payoutId: string): Promise<Target> {
    const [found] = await this.store.findPayouts(payoutId);
    return { kind: 'payout', key: String(found?.row.seq), version: String(found?.row.version) };
  }

  /** Rows of one file that was approved: paid, failed and corrected, held for a limit that nok lifts, held on. */
  async payouts(): Promise<void> {
    const { store, theatre } = this;
    theatre.script = {
      transfer: (order) =>
        order.reference1 === 'ref 2'
          ? theatre.code('EV033', { transRefNo: order.transRefNo })
          : theatre.code('IC000', {
              transRefNo: order.transRefNo,
              sysRefNo: `SYS${order.transRefNo}`,
              transFee: '5.00',
            }),
    };
    await store.keepUpload(firstBatchId, (await this.users.find('boon')).personId, noonMs);
    const rows = [makeRow(1), makeRow(2), makeRow(3, { holds: ['limit'] }), makeRow(4, { holds: ['limit'] })];
    await ingest(store, rows, { approval: byTwo });
    await this.run(firstBatchId);
    await this.approve(firstBatchId);
    await this.decide('go-on', await this.payout('INV-3'));
    await this.run(firstBatchId);
    await this.decide('retry-corrected', {
      ...(await this.payout('INV-2')),
      correction: { proxyNo: null, amount: '77.00' },
    });
    const report = { batchId: firstBatchId, number: 1, path: '/outbox/r.csv', temporaryPath: '/outbox/.r' };
    const made = { sha256: 'ab'.repeat(32), eventSeq: 1, atMs: noonMs };
    await store.recordReports([
      { ...report, ...made, kind: 'result' },
      { ...report, ...made, kind: 'summary' },
    ]);
    await store.countDay(payer.companyId, formatBangkokDate(noonMs));
  }

  /** One that waits for its approval. */
  async waiting(): Promise<void> {
    await ingest(this.store, [makeRow(11), makeRow(12)], { batchId: secondBatchId, approval: byTwo });
  }

  async registrations(): Promise<void> {
    const { store } = this;
    const ready = await runRegistrations(
      store,
      [1, 2].map((no) => makeRegistrationRow(no)),
    );
    for (const one of ready) {
      await store.applyRegistrations([intentOf(one)]);
      const sent = await store.registration(one.seq);
      if (sent === undefined) throw new Error('it is gone');
      const { callback, ...change } = calledBack(sent);
      const { respCode, respDesc, applyDtm } = callback?.callback ?? {};
      const after = {
        ...change.after,
        respCode: respCode ?? null,
        respDesc: respDesc ?? null,
        applyDtm: applyDtm ?? null,
      };
      await store.applyRegistrations([{ ...change, after, ...(callback && { callback }) }]);
    }
  }
}

export async function tellAll(store: Store): Promise<void> {
  const telling = new Telling(store);
  await telling.people();
  await telling.payouts();
  await telling.waiting();
  await telling.registrations();
  await telling.secondAdmin();
  await telling.propose(secondBatchId);
}

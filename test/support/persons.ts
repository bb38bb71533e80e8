/** People of the review, and a journal that knows them. */
import { inEnglish } from '../../src/core/message.ts';
import type { Clock } from '../../src/core/ports.ts';
import { AccessRecord } from '../../src/review/access-record.ts';
import type { PasswordCost } from '../../src/review/password-hash.ts';
import { type ChangeOutcome, type PersonContext, requestChange } from '../../src/review/people.ts';
import type { Passkey } from '../../src/review/rules/passkey.ts';
import {
  asAdmin,
  type Person,
  type Proof,
  type ProvedPerson,
  type Role,
} from '../../src/review/rules/people.ts';
import type { Asker, PersonProposal, PersonRequest } from '../../src/review/rules/person-request.ts';
import { proposalStatuses } from '../../src/review/rules/proposal.ts';
import { changePassword, type SignInContext } from '../../src/review/sign-in.ts';
import { sharedSource } from '../../src/review/source-tries.ts';
import type { Store } from '../../src/store/store.ts';
import { noonMs } from './core-fixtures.ts';

/** As cheap as can be. */
export const cheap: PasswordCost = { logN: 1, r: 1, p: 1 };

export const makePerson = (changes: Partial<Person> = {}): Person => ({
  personId: 1,
  name: 'mali',
  displayName: 'Mali Srisuk',
  role: 'admin',
  isDisabled: false,
  madeBy: null,
  madeAtMs: noonMs,
  handedBy: null,
  handedAtMs: noonMs,
  confirmedBy: null,
  adminSinceMs: changes.role === undefined || changes.role === 'admin' ? noonMs : null,
  standsSinceMs: noonMs,
  lastSignInAtMs: null,
  lockedUntilMs: 0,
  ...changes,
});

/** A key that waits to be confirmed. */
export const makePasskey = (changes: Partial<Passkey> = {}): Passkey => ({
  credentialId: 'ab12',
  personId: 1,
  label: 'phone',
  publicKey: 'AAAA',
  coseKey: 'AAAA',
  keyHash: 'ab12cd34'.repeat(8),
  rpId: 'localhost',
  origin: 'http://localhost:8484',
  backup: 'none',
  transports: [],
  signCount: 0,
  enrolledAtMs: noonMs,
  confirmedBy: null,
  confirmedAtMs: null,
  revokedBy: null,
  revokedAtMs: null,
  lastUsedAtMs: null,
  ...changes,
});

export const passwordOf = (name: string): string => `${name} likes green tea 77`;

/** A clock that waits for nobody: `ms` is how far it has come. */
function makeQuickClock(): Clock & { ms: number } {
  const clock = {
    ms: 0,
    now: () => noonMs + clock.ms,
    elapsedMs: () => clock.ms,
    sleep: async (ms: number) => {
      clock.ms += ms;
    },
  };
  return clock;
}

/** Users of one journal, at a moment that may be moved. */
export class Users {
  readonly store: Store;
  readonly clock = makeQuickClock();
  restoredAtMs: number | undefined;

  readonly #access: AccessRecord;

  constructor(store: Store) {
    this.store = store;
    this.#access = new AccessRecord(store, (_level, message) => {
      throw new Error(message);
    });
  }

  /** How often somebody was locked out. */
  locks = 0;

  get context(): PersonContext & SignInContext {
    const { store, clock, restoredAtMs } = this;
    const onLock = () => void (this.locks += 1);
    const access = this.#access.at(undefined);
    const place = { tries: sharedSource, access, network: undefined, name: 'shell' } as const;
    return { store, clock, nowMs: clock.now(), restoredAtMs, cost: cheap, place, onLock };
  }

  async ask(request: PersonRequest, by: Asker, proof: Proof = by === null ? 'owner' : 'token') {
    this.clock.ms += 1;
    return requestChange(this.context, request, by, proof);
  }

  /** Somebody new, who has set a password of his own where he could begin at once. */
  async add(name: string, role: Role, by: Asker): Promise<ChangeOutcome> {
    const outcome = await this.ask({ kind: 'add', name, displayName: `Khun ${name}`, role }, by);
    await this.begin(outcome);
    return outcome;
  }

  /** Sets a password of his own. @param firstHalf that another admin was shown */
  async begin(outcome: ChangeOutcome, firstHalf?: string): Promise<void> {
    if (outcome.kind !== 'done' || outcome.oneTimePassword === undefined) return;
    const name = outcome.person?.name ?? '';
    const { text } = outcome.oneTimePassword;
    const whole = firstHalf === undefined ? text : `${firstHalf}-${text}`;
    const why = await changePassword(this.context, name, whole, passwordOf(name));
    if (why !== undefined) throw new Error(inEnglish(why));
  }

  async find(name: string): Promise<Person> {
    const { people } = await this.store.persons();
    const found = people.find((person) => person.name === name);
    if (found === undefined) throw new Error(`there is no user ${name}`);
    return found;
  }

  async prove(name: string): Promise<ProvedPerson> {
    return { person: await this.find(name), proof: 'token' };
  }

  /** The proposals about people, the oldest first, as an admin reads them. */
  async changes(): Promise<readonly PersonProposal[]> {
    const admin = asAdmin(makePerson());
    if (admin === undefined) throw new Error('an admin may not read proposals about people');
    return (await this.store.personProposals(proposalStatuses, 1_000, 1_000, admin)).toReversed();
  }

  async kindsOfEvents(): Promise<readonly string[]> {
    return (await this.store.personEvents(0, 1_000)).map(({ subject, kind }) => `${subject} ${kind}`);
  }
}

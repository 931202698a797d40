import { verifyDepths } from '../../contract/models/backup.ts';
import { type Clock, commit, emitMetric, iso, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { backupAudit } from '../model/backup-audit.ts';
import { removeRunningVerification } from '../model/job-capacity.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { VerificationReport } from './verification-report.ts';

type Verification = NonNullable<BackupRecord['verification']>;

/** How often the record is told how far the verification is. */
const tellMs = 10_000;

/** A verification on the record of its backup. Whatever is written is conditioned on its being the one under way. */
export class VerificationProgress {
  readonly report: VerificationReport;
  readonly #tenant: Tenant;
  readonly #backup: BackupRecord;
  readonly #clock: Clock;
  #was: Verification;
  #toldMs: number;

  constructor(tenant: Tenant, backup: BackupRecord, verification: Verification, clock: Clock) {
    this.report = new VerificationReport(verification.findings);
    this.#tenant = tenant;
    this.#backup = backup;
    this.#was = verification;
    this.#clock = clock;
    this.#toldMs = clock.now().getTime();
  }

  async reportThrottled(objects: number): Promise<void> {
    if (this.#clock.now().getTime() - this.#toldMs >= tellMs) await this.save(objects);
  }

  /** How far it is. */
  async save(objects: number): Promise<void> {
    const now: Verification = { ...this.#was, objects, findings: this.report.findings };
    await commit([this.#write({ verification: now })]);
    this.#was = now;
    this.#toldMs = this.#clock.now().getTime();
  }

  /** How it ended; what it found stays until a later verification has ended. */
  async end(objects: number): Promise<void> {
    const { report } = this;
    const now = this.#clock.now();
    const status = report.isBad ? 'failed' : 'passed';
    const { findings } = report;
    const verification: Verification = { status, depth: this.#was.depth, checkedAt: iso(now), objects, findings };
    const details = { depth: verification.depth, objects, findings: findings.slice(0, 10) };
    await commit([
      this.#write({ verification, ...standing(this.#backup, verification) }),
      removeRunningVerification(this.#tenant, this.#backup.id),
      backupAudit(this.#tenant, `backup.verification_${status}`, this.#backup, details, now),
    ]);
    emitMetric(`a verification has ${status}`, report.isBad ? { VerificationsFailed: 1 } : { VerificationsPassed: 1 });
  }

  #write(attributes: Readonly<Record<string, unknown>>): Write {
    const expected = { status: 'completed', verification: this.#was, leaving: undefined };
    return set(backupKey.backup(this.#tenant, this.#backup.id), attributes, {
      expected,
      onConditionFailed: () => new StaleReadError(),
    });
  }
}

/**
 * Since when it is known to be whole. Damage that was found takes that away, and only a verification that looks at least as deep
 * gives it back: a look at the structure says nothing about a byte that was found flipped.
 */
const standing = ({ damagedDepth }: BackupRecord, { status, depth, checkedAt }: Verification): object => {
  if (status === 'failed') return { verifiedAt: null, damagedDepth: deeper(depth, damagedDepth) };
  return damagedDepth !== undefined && rank(depth) < rank(damagedDepth) ? {} : { verifiedAt: checkedAt, damagedDepth: undefined };
};
const rank = (depth: Verification['depth']): number => verifyDepths.indexOf(depth);
const deeper = (a: Verification['depth'], b: Verification['depth'] | undefined): Verification['depth'] =>
  b !== undefined && rank(b) > rank(a) ? b : a;

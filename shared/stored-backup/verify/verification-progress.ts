import { enqueue } from '../../event/index.ts';
import {
  bestEffort,
  type Clock,
  commit,
  emitMetric,
  iso,
  StaleReadError,
  set,
  type Tenant,
  updateItem,
  type Write,
} from '../../platform/index.ts';
import { notLeaving, type ProjectRecord, projectKey } from '../../project/index.ts';
import { backupAudit } from '../model/backup-audit.ts';
import type { ChainLockResult } from '../model/chain-locks.ts';
import { lockFields, lockProblemAudit } from '../model/lock-problem.ts';
import { deeper, isShallower } from '../model/mark-damaged.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { removeRunningVerification } from '../model/verification-capacity.ts';
import { VerificationReport } from './verification-report.ts';

type Verification = NonNullable<BackupRecord['verification']>;

const saveEveryMs = 5_000;

/** What was checked so far. */
interface Checked {
  readonly objects: number;
  readonly percent: number;
}

interface StartedVerification {
  readonly verification: Verification;
  readonly clock: Clock;
}

/** A verification on the record of its backup. Every write fails if another verification has replaced it. */
export class VerificationProgress {
  readonly report: VerificationReport;
  readonly #tenant: Tenant;
  readonly #backup: BackupRecord;
  readonly #clock: Clock;
  #current: Verification;
  #savedAtMs: number;
  /** Set once the locks of all its objects were read. */
  locks: ChainLockResult | undefined;

  constructor(tenant: Tenant, backup: BackupRecord, { verification, clock }: StartedVerification) {
    this.report = new VerificationReport(verification.findings);
    this.#tenant = tenant;
    this.#backup = backup;
    this.#current = verification;
    this.#clock = clock;
    this.#savedAtMs = clock.now().getTime();
  }

  async reportThrottled(checked: Checked): Promise<void> {
    if (this.#clock.now().getTime() - this.#savedAtMs >= saveEveryMs) await this.save(checked);
  }

  async save({ objects, percent }: Checked): Promise<void> {
    const now: Verification = { ...this.#current, objects, percent, findings: this.report.findings };
    await commit([this.#write({ verification: now })]);
    this.#current = now;
    this.#savedAtMs = this.#clock.now().getTime();
  }

  /** Stores the outcome. Its findings stay until a later verification has ended. */
  async end(objects: number): Promise<void> {
    const { report } = this;
    const now = this.#clock.now();
    const status = report.isBad ? 'failed' : 'passed';
    const { findings } = report;
    const { depth } = this.#current;
    const verification: Verification = { status, depth, checkedAt: iso(now), objects, percent: 100, findings };
    const locks = this.locks && { lockProblem: undefined, ...lockFields(this.locks, now, this.#backup.lockProblem?.since) };
    // A known problem is not reported again.
    const isNew = locks?.lockProblem?.reason !== this.#backup.lockProblem?.reason;
    const details = { depth, objects, findings: findings.slice(0, 10) };
    await commit([
      this.#write({ verification, ...integrityFields(this.#backup, verification), ...locks }),
      removeRunningVerification(this.#tenant, this.#backup.id),
      backupAudit(this.#tenant, { action: `backup.verification_${status}`, backup: this.#backup, details, now }),
      ...(locks?.lockProblem && isNew ? [lockProblemAudit(this.#tenant, { ...this.#backup, ...locks }, now)] : []),
      enqueue(this.#tenant, { kind: 'apply-verification', backupId: this.#backup.id }, now),
    ]);
    await bestEffort('note the verification on the project', this.#noteOnProject(verification.checkedAt, status));
    emitMetric(`a verification has ${status}`, report.isBad ? { VerificationsFailed: 1 } : { VerificationsPassed: 1 });
  }

  /** For the overview, which does not read every backup. A project that was disconnected stays so. */
  #noteOnProject(at: string, status: 'passed' | 'failed'): Promise<unknown> {
    const { id: backupId, projectId } = this.#backup;
    const lastVerification: ProjectRecord['lastVerification'] = { backupId, at, status, depth: this.#current.depth };
    return updateItem(set(projectKey.project(this.#tenant, projectId), { lastVerification }));
  }

  #write(attributes: Readonly<Record<string, unknown>>): Write {
    const expected = { status: 'completed', verification: this.#current, ...notLeaving };
    return set(backupKey.backup(this.#tenant, this.#backup.id), attributes, {
      expected,
      onConditionFailed: () => new StaleReadError(),
    });
  }
}

/**
 * Damage clears `verifiedAt`, and only a verification at least as deep sets it again: a check of the structure says nothing about
 * a flipped byte.
 */
const integrityFields = ({ damagedDepth }: BackupRecord, { status, depth, checkedAt }: Verification): object => {
  if (status === 'failed') return { verifiedAt: null, damagedDepth: deeper(depth, damagedDepth) };
  return damagedDepth !== undefined && isShallower(depth, damagedDepth) ? {} : { verifiedAt: checkedAt, damagedDepth: undefined };
};

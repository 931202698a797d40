import { verifyDepths } from '../../contract/job-enums.ts';
import { commit, set, type Tenant } from '../../platform/index.ts';
import { notLeaving } from '../../project/index.ts';
import { backupAudit } from './backup-audit.ts';
import { type BackupRecord, backupKey } from './record.ts';

export type Depth = NonNullable<BackupRecord['damagedDepth']>;

const rank = (depth: Depth): number => verifyDepths.indexOf(depth);
export const isShallower = (a: Depth, b: Depth): boolean => rank(a) < rank(b);
export const deeper = (a: Depth, b: Depth | undefined): Depth => (b !== undefined && isShallower(a, b) ? b : a);

interface Damage {
  /** The depth of a verification that would find the damage, too. */
  readonly depth: Depth;
  readonly details: Readonly<Record<string, unknown>>;
  readonly now: Date;
}

/** Marks a completed backup that something else than a verification found damaged, so that no other backup is made from it. */
export const markDamaged = (tenant: Tenant, backup: BackupRecord, { depth, details, now }: Damage): Promise<void> =>
  commit([
    set(
      backupKey.backup(tenant, backup.id),
      { damagedDepth: deeper(depth, backup.damagedDepth), verifiedAt: null },
      { expected: { status: 'completed', ...notLeaving } },
    ),
    backupAudit(tenant, { action: 'backup.found_damaged', backup, details, now }),
  ]);

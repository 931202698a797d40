/** Runs a verification in bounded steps. Findings are on the record; the workflow carries only the position. */
import * as z from 'zod/mini';
import { keyFileName, manifestName, objectKind, storedObjects } from '../../archive/index.ts';
import { id } from '../../contract/fields.ts';
import { headExpected, type ObjectStore, StorageError } from '../../destination/index.ts';
import { type Clock, get, randomToken, type Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { keyWith, type OpenArchive } from '../read/open-archive.ts';
import { checkInheritedRecords } from './check-inherited-records.ts';
import { checkObject, emptyTally, qualifiedName } from './check-object.ts';
import { checkParentKeys } from './check-parent-keys.ts';
import { checkedSoFar } from './checked-so-far.ts';
import { drawLeafNumbers, LeafSampler } from './leaf-sampler.ts';
import { hasLocks, LockCheck } from './lock-check.ts';
import { checkKeyFile, openOrReport } from './open-for-verification.ts';
import { VerificationProgress } from './verification-progress.ts';
import type { VerificationReport } from './verification-report.ts';
import { extraCheckedObjects, Position, type VerifyWork } from './verify-work.ts';

export const VerifyStep = z.object({
  organizationId: id('organization'),
  backupId: id('backup'),
  position: z.nullable(Position),
  done: z.boolean(),
  /** Why all attempts of the previous step failed; then the verification is given up. */
  error: z.optional(z.unknown()),
});
export type VerifyStep = z.output<typeof VerifyStep>;

/** After this many consecutive unreachable objects the store counts as unreachable. */
const unreachableMax = 5;
/** Continues at the position until the deadline. Undefined when all is checked, or the verification was replaced. */
export const verifyBackup = async (
  tenant: Tenant,
  {
    backupId,
    position,
    deadline,
    deps,
  }: { readonly backupId: string; readonly position: Position | null; readonly deadline: Date; readonly deps: BackupDeps },
): Promise<Position | undefined> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  const { verification } = backup ?? {};
  if (backup?.status !== 'completed' || verification?.status !== 'running') return undefined;
  const begin = { startedAt: verification.checkedAt, seed: randomToken(), objects: 0, leaves: 0, tally: emptyTally() };
  const at: Position = position ?? begin;
  if (verification.checkedAt !== at.startedAt) return undefined;
  const progress = new VerificationProgress(tenant, backup, { verification, clock: deps.clock });
  const open = await openOrReport(tenant, { backup, deps, report: progress.report });
  const extra = extraCheckedObjects + (backup.needs?.length ?? 0);
  if (open)
    try {
      const locks = (await hasLocks(tenant, backup)) ? new LockCheck(backup, progress.report, at.locks) : undefined;
      const { depth } = verification;
      const work: VerifyWork = { tenant, depth, open, at, progress, deadline, clock: deps.clock, deps, extra, locks };
      const isDone = await verifyParts(work, backup);
      if (locks) at.locks = locks.locks.counts;
      if (!isDone) {
        await progress.save(checkedSoFar(work));
        return at;
      }
      if (locks && at.objects === storedObjects(open.archive.manifest).length) progress.locks = locks.locks.result;
    } finally {
      open.close();
    }
  await progress.end(open ? at.objects + extra : 1);
  return undefined;
};

/** Records that the service could not finish a verification. Another can be requested at once. */
export const giveUpVerification = async (
  tenant: Tenant,
  { backupId, position, clock }: { readonly backupId: string; readonly position: Position | null; readonly clock: Clock },
): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  const { verification } = backup ?? {};
  if (backup?.status !== 'completed' || verification?.status !== 'running') return;
  if (position && verification.checkedAt !== position.startedAt) return;
  const progress = new VerificationProgress(tenant, backup, { verification, clock });
  progress.report.add(manifestName, 'unreadable', 'The verification could not be finished. Start another one');
  await progress.end(verification.objects);
};

/** False if the time ran out first. */
const verifyParts = async (work: VerifyWork, backup: BackupRecord): Promise<boolean> => {
  const { tenant, depth, open, at, progress, deps } = work;
  const { report } = progress;
  const stored = await sizesIn(open.store, report);
  if (!stored) return true;
  if (at.objects === 0) {
    // The listing does not show a locked key that a delete marker or a newer version hides.
    const listed = work.locks ? undefined : stored.get(keyFileName);
    const size = listed ?? (await headExpected(open.store, keyWith(backup.keyFile)))?.size;
    const own = { ...(await open.sourceOf(backup.archive.backup)), size };
    const found = await checkKeyFile(tenant, { backup, own, deps });
    if (found) report.add(keyFileName, found.problem, found.message);
    await checkParentKeys(work, backup, report);
    await work.locks?.addKeys(open, backup);
    reportOrphans(open, stored, report);
  }
  if (!(await verifyObjects(work, stored, depth === 'full'))) return false;
  if (depth === 'sample' && !(await verifyLeaves(work))) return false;
  if (depth === 'full' && !(await checkInheritedRecords(work))) return false;
  const { documents, tombstones, users } = open.archive.manifest.counts;
  const { tally } = at;
  if (
    depth === 'full' &&
    !report.isBad &&
    !(tally.documents === documents && tally.tombstones === tombstones && tally.users === users)
  )
    report.add(manifestName, 'corrupt', `The objects hold ${tally.documents} documents, the manifest lists ${documents}`);
  return true;
};

/** Undefined if the objects cannot be listed; then the report says so. */
const sizesIn = async (store: ObjectStore, report: VerificationReport): Promise<ReadonlyMap<string, number> | undefined> => {
  const sizes = new Map<string, number>();
  try {
    for await (const { name, size } of store.list('')) sizes.set(name, size);
    return sizes;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    report.add(manifestName, 'unreadable', `The objects of the backup cannot be listed: ${error.message}`);
    return undefined;
  }
};

const reportOrphans = (
  { archive: { manifest } }: OpenArchive,
  stored: ReadonlyMap<string, number>,
  report: VerificationReport,
): void => {
  const own = storedObjects(manifest)
    .filter(({ backup }) => backup === manifest.backup)
    .map(({ name }) => name);
  const known = new Set([manifestName, keyFileName, ...own]);
  // Copies of the erasure ledger are added after the backup was sealed.
  for (const name of stored.keys())
    if (!known.has(name) && objectKind(name) !== 'erasures')
      report.add(name, 'orphan', 'The object is in the folder of the backup but not part of it');
};

const verifyObjects = async (work: VerifyWork, stored: ReadonlyMap<string, number>, isFull: boolean): Promise<boolean> => {
  const { open, at, progress, deadline, clock, locks } = work;
  const { manifest } = open.archive;
  let unreachable = 0;
  for (const entry of storedObjects(manifest).slice(at.objects)) {
    if (clock.now() >= deadline) return false;
    const found = await checkObject({ open, stored, isFull, locks }, entry, at.tally);
    if (found) progress.report.add(qualifiedName(entry, open.archive), found.problem, found.message);
    unreachable = found?.problem === 'unreadable' ? unreachable + 1 : 0;
    if (unreachable >= unreachableMax) return true;
    at.objects += 1;
    await progress.reportThrottled(checkedSoFar(work));
  }
  return true;
};

const verifyLeaves = async (work: VerifyWork): Promise<boolean> => {
  const { open, at, progress, deadline, clock } = work;
  const sampler = new LeafSampler(open.archive);
  for (const number of drawLeafNumbers(at.seed, sampler.total).slice(at.leaves)) {
    if (clock.now() >= deadline) return false;
    await sampler.check(number, progress.report);
    at.leaves += 1;
    await progress.reportThrottled(checkedSoFar(work));
  }
  return true;
};

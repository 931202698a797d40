/** A verification, a bounded part at a time. What it finds stands on the record; the workflow carries only where it goes on. */
import * as z from 'zod';
import { keyFileName, manifestName } from '../../archive/index.ts';
import { id } from '../../contract/fields.ts';
import { type ObjectStore, StorageError } from '../../destination/index.ts';
import { type Clock, get, randomToken, type Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import type { OpenArchive } from '../read/open-archive.ts';
import { verifyKept } from './check-inherited-records.ts';
import { checkObject, nothing } from './check-object.ts';
import { LeafSampler, nameOf, sampleOf } from './check-sample.ts';
import { checkKeyFile, openOrReport } from './open-for-verification.ts';
import { VerifyRecord } from './verification-progress.ts';
import type { Report } from './verification-report.ts';

const Position = z.object({
  /** When the verification was asked for: a later one takes its place. */
  startedAt: z.string(),
  /** What the sample is drawn by. */
  seed: z.string(),
  /** Objects that were looked at; leaves of a sample, or in full pages of the index whose kept records were. */
  objects: z.int(),
  leaves: z.int(),
  tally: z.object({ documents: z.int(), tombstones: z.int(), users: z.int() }),
});
type Position = z.output<typeof Position>;

export const VerifyStep = z.object({
  organizationId: id('organization'),
  backupId: id('backup'),
  position: Position.nullable(),
  done: z.boolean(),
  /** Why no try of the step before succeeded: then there is only to say so. */
  error: z.unknown().optional(),
});
export type VerifyStep = z.output<typeof VerifyStep>;

/** So many objects in a row that cannot be reached mean that the store cannot: asking for the rest would take for ever. */
const unreachableMax = 5;
/** Beside what the manifest lists, the manifest itself and the key were looked at. */
export const extraCheckedObjects = 2;

/** Goes on from the position until the time given; undefined when nothing is left, or the verification is not wanted any more. */
export const verifyBackup = async (
  tenant: Tenant,
  backupId: string,
  position: Position | null,
  until: Date,
  engine: BackupDeps,
): Promise<Position | undefined> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  const { verification } = backup ?? {};
  if (backup?.status !== 'completed' || verification?.status !== 'running') return undefined;
  const begin = { startedAt: verification.checkedAt, seed: randomToken(), objects: 0, leaves: 0, tally: nothing() };
  const at: Position = position ?? begin;
  if (verification.checkedAt !== at.startedAt) return undefined;
  const record = new VerifyRecord(tenant, backup, verification, engine.clock);
  const open = await openOrReport(tenant, backup, engine, record.report);
  if (open)
    try {
      const work = { tenant, open, at, record, until, clock: engine.clock, engine };
      if (!(await verifyParts(work, backup, verification.depth))) {
        await record.tell(at.objects + extraCheckedObjects);
        return at;
      }
    } finally {
      open.close();
    }
  await record.end(open ? at.objects + extraCheckedObjects : 1);
  return undefined;
};

/** Says that a verification could not be finished, for a reason of ours: it says nothing of the backup, and another may be asked for. */
export const giveUpVerification = async (
  tenant: Tenant,
  backupId: string,
  position: Position | null,
  clock: Clock,
): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  const { verification } = backup ?? {};
  if (backup?.status !== 'completed' || verification?.status !== 'running') return;
  if (position && verification.checkedAt !== position.startedAt) return;
  const record = new VerifyRecord(tenant, backup, verification, clock);
  record.report.add(manifestName, 'unreadable', 'The verification could not be finished; ask for another');
  await record.end(verification.objects);
};

export interface VerifyWork {
  readonly tenant: Tenant;
  readonly engine: BackupDeps;
  readonly open: OpenArchive;
  readonly at: Position;
  readonly record: VerifyRecord;
  readonly until: Date;
  readonly clock: Clock;
}

/** False if time ran out before all was looked at. */
const verifyParts = async (work: VerifyWork, backup: BackupRecord, depth: 'structure' | 'sample' | 'full'): Promise<boolean> => {
  const { tenant, open, at, record, engine } = work;
  const { report } = record;
  const stored = await sizesIn(open.store, report);
  if (!stored) return true;
  if (at.objects === 0) {
    const found = await checkKeyFile(tenant, backup, open, stored.get(keyFileName), engine);
    if (found) report.add(keyFileName, found.problem, found.message);
    tellOrphans(open, stored, report);
  }
  if (!(await verifyObjects(work, stored, depth === 'full'))) return false;
  if (depth === 'sample' && !(await verifyLeaves(work))) return false;
  if (depth === 'full' && !(await verifyKept(work))) return false;
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

/** Undefined if the store does not list: then the report says so. */
const sizesIn = async (store: ObjectStore, report: Report): Promise<ReadonlyMap<string, number> | undefined> => {
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

const tellOrphans = ({ archive: { manifest } }: OpenArchive, stored: ReadonlyMap<string, number>, report: Report): void => {
  const known = new Set(manifest.objects.filter(({ backup }) => backup === manifest.backup).map(({ name }) => name));
  for (const name of stored.keys())
    if (!known.has(name) && name !== manifestName && name !== keyFileName)
      report.add(name, 'orphan', 'The object lies in the folder of the backup and is no part of it');
};

const verifyObjects = async (work: VerifyWork, stored: ReadonlyMap<string, number>, isFull: boolean): Promise<boolean> => {
  const { open, at, record, until, clock } = work;
  const { manifest } = open.archive;
  let unreachable = 0;
  for (const entry of manifest.objects.slice(at.objects)) {
    if (clock.now() >= until) return false;
    const found = await checkObject({ open, stored, isFull }, entry, at.tally);
    if (found) record.report.add(nameOf(entry, open.archive), found.problem, found.message);
    unreachable = found?.problem === 'unreadable' ? unreachable + 1 : 0;
    if (unreachable >= unreachableMax) return true;
    at.objects += 1;
    await record.tellNowAndThen(at.objects + extraCheckedObjects);
  }
  return true;
};

const verifyLeaves = async ({ open, at, record, until, clock }: VerifyWork): Promise<boolean> => {
  const sampler = new LeafSampler(open.archive);
  for (const number of sampleOf(at.seed, sampler.total).slice(at.leaves)) {
    if (clock.now() >= until) return false;
    await sampler.check(number, record.report);
    at.leaves += 1;
    await record.tellNowAndThen(at.objects + extraCheckedObjects);
  }
  return true;
};

/** The second step: one read time for all of it, and the ranges that are copied side by side. */

import { type Plan, planRanges } from '../../firestore/index.ts';
import { JobFailure } from '../../job/index.ts';
import {
  after,
  commit,
  epochSeconds,
  type Item,
  isConflict,
  type Tenant,
  transactionMax,
  type Write,
} from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { openEarlier, unlessParentOpens } from '../incremental/parent-archive.ts';
import { type BackupRecord, backupKey, type ShardRecord } from '../model/record.ts';
import { advance, readRunning, whileRunning } from '../model/running-backup.ts';
import { planArchive } from './plan-synthetic-full.ts';
import { probeReads, until } from './prepare-backup.ts';
import { isLong, keepsMinutes, minuteReads, nextMinute } from './read-time.ts';

/** A workflow hands on 256 KiB at most, and a range takes a minute or a few; lists of collections may make more of them. */
export const rangesMax = 500;
/** The notes of a backup go when it ends; this is for those that nothing could remove. */
const notesKeptSeconds = 30 * 24 * 3_600;

/** The numbers of the shards. A second run finds the plan of the first; of two at once only one plan is kept whole. */
export const planBackup = async (
  tenant: Tenant,
  backupId: string,
  engine: BackupDeps,
): Promise<{ shards: readonly number[] }> => {
  const { backup } = await readRunning(tenant, backupId, engine.clock.now());
  const shards = backup.shards ?? (await makePlan(tenant, backup, engine));
  return { shards: Array.from({ length: shards }, (_, number) => number) };
};

const makePlan = async (tenant: Tenant, backup: BackupRecord, engine: BackupDeps): Promise<number> => {
  const planNumber = (backup.planNumber ?? 0) + 1;
  const expected = { planNumber: backup.planNumber, shards: undefined };
  await commit([advance(tenant, backup.id, { set: { planNumber, phase: 'planning' }, expected })]);
  const alone = await unlessParentOpens(tenant, backup, engine);
  const { synthesizedFrom } = backup;
  const made = await (synthesizedFrom === undefined
    ? ask(tenant, backup, engine)
    : look(tenant, backup, synthesizedFrom, engine));
  const shards = shardsOf(tenant, backup, made, engine.clock.now());
  for (let start = 0; start < shards.length; start += transactionMax - 1)
    await commit([
      ...shards.slice(start, start + transactionMax - 1).map((put): Write => ({ put })),
      whileRunning(tenant, backup.id, { planNumber, shards: undefined }),
    ]);
  try {
    await commit([
      advance(tenant, backup.id, {
        set: {
          phase: 'copying',
          shards: shards.length,
          readTime: made.readTime,
          totalDocuments: made.documents ?? null,
          unknownCollections: made.unknown,
          ...alone,
        },
        add: { reads: made.reads },
        expected: { planNumber, shards: undefined },
      }),
    ]);
  } catch (error) {
    // The answer to a commit that did happen may have been lost.
    const { backup: now } = await readRunning(tenant, backup.id, engine.clock.now());
    if (!isConflict(error) || now.planNumber !== planNumber || now.shards === undefined) throw error;
  }
  return shards.length;
};

type Made = Omit<Plan, 'collections'>;

/** Of another backup: what its index says. */
const look = async (tenant: Tenant, backup: BackupRecord, originId: string, engine: BackupDeps): Promise<Made> => {
  const origin = await openEarlier(tenant, backup, originId, engine);
  try {
    return await origin.reading(() => planArchive(origin.archive, { rangesMax }));
  } finally {
    origin.close();
  }
};

const ask = async (tenant: Tenant, backup: BackupRecord, engine: BackupDeps): Promise<Made> => {
  const made = await askSource(tenant, backup, engine);
  refuseIfTooMany(backup, made);
  return made;
};

const askSource = async (tenant: Tenant, backup: BackupRecord, engine: BackupDeps): Promise<Plan> => {
  const source = engine.openSource(tenant, await readProject(tenant, backup.projectId));
  const { collections, excludedCollections: excludeCollections, deadline } = backup;
  const options = { collections, excludeCollections, rangesMax, signal: until(deadline, engine) };
  try {
    if (!isLong(backup)) return await planRanges(source, options);
    const pointInTimeRecovery = await keepsMinutes(source, engine.clock.now(), options.signal);
    if (pointInTimeRecovery) await nextMinute(engine.clock, options.signal);
    const made = await planRanges(source, { ...options, pointInTimeRecovery });
    return { ...made, reads: made.reads + minuteReads };
  } finally {
    source.close();
  }
};

/** Documents that a count is billed as one read for. */
export const countedPerRead = 1_000;

/** What a backup by this plan is billed as at most, if nothing has to be read twice; undefined if the source does not count. */
export const estimateReads = ({ documents, ranges, reads }: Plan): number | undefined => {
  if (documents === undefined) return undefined;
  const counting = Math.max(1, Math.ceil(documents / countedPerRead));
  // Of several ranges each may be empty, which is billed as a read, and is counted by itself.
  return probeReads + reads + Math.max(1, documents) + counting + 2 * Math.max(0, ranges.length - 1);
};

const refuseIfTooMany = ({ maxReads }: BackupRecord, made: Plan): void => {
  const reads = estimateReads(made) ?? made.reads;
  if (maxReads !== undefined && reads > maxReads) throw tooManyReads(maxReads, reads);
};

export const tooManyReads = (maxReads: number, reads: number): JobFailure =>
  new JobFailure('CANCELLED', `The backup would read more than maxReads allows: ${reads} instead of ${maxReads}`, {
    maxReads,
    reads,
  });

/** Users come first: `accounts/…` sorts before `projects/…`, so the pages of the index follow the numbers of the shards. */
const shardsOf = (tenant: Tenant, { id, includeAuthUsers }: BackupRecord, { ranges }: Made, now: Date): readonly ShardRecord[] =>
  [...(includeAuthUsers ? [undefined] : []), ...ranges].map((range, number) => ({
    ...backupKey.shard(tenant, id, number),
    number,
    ...(range && { range: JSON.stringify(range) }),
    parts: 0,
    isDone: false,
    documents: 0,
    counted: 0,
    reads: 0,
    ttl: epochSeconds(after(now, notesKeptSeconds)),
  })) satisfies readonly Item[];

/** Chooses a read time that the source keeps for as long as the backup may take. */
import { setTimeout as pause } from 'node:timers/promises';
import { type FirestoreDatabase, listCollections, SourceError } from '../../firestore/index.ts';
import { after, type Clock, iso } from '../../platform/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';

/** A source keeps every read time for an hour; with point-in-time recovery also whole minutes for seven days. */
const keptSeconds = 3_600;
/** Allows for clock skew and planning. */
const marginSeconds = 300;
/** Billed reads of the probe. */
export const pitrProbeReads = 1;

/** Whether the backup may take longer than the hour that every source keeps. */
export const mayOutliveSnapshot = ({ startedAt, deadline }: Pick<BackupRecord, 'startedAt' | 'deadline'>): boolean =>
  Date.parse(deadline ?? '') - Date.parse(startedAt ?? '') > (keptSeconds - marginSeconds) * 1_000;

/** Whether the source can read at a minute more than an hour ago: then it has point-in-time recovery. */
export const hasPointInTimeRecovery = async (source: FirestoreDatabase, now: Date, signal?: AbortSignal): Promise<boolean> => {
  const earlier = `${iso(after(now, -(keptSeconds + marginSeconds))).slice(0, 16)}:00.000000Z`;
  try {
    await listCollections(source, { parent: source.root, readTime: earlier, signal });
    return true;
  } catch (error) {
    // Any other problem of the source shows in the next request.
    if (error instanceof SourceError) return false;
    throw error;
  }
};

/** Waits for the next whole minute, so that the backup includes everything written before it was requested. */
export const waitForNextMinute = async (clock: Clock, signal: AbortSignal): Promise<void> => {
  await pause(msToNextMinute(clock.now()), undefined, { signal });
};

/** One more second, for a source whose clock is behind. */
export const msToNextMinute = (now: Date): number => 61_000 - (now.getTime() % 60_000);

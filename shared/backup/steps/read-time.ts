/** At which moment a backup can be read for as long as it may take. */
import { setTimeout as pause } from 'node:timers/promises';
import { type FirestoreDatabase, listCollections, SourceError } from '../../firestore/index.ts';
import { after, type Clock, iso } from '../../platform/index.ts';
import type { BackupRecord } from '../model/record.ts';

/** A source keeps every moment for an hour; with point-in-time recovery also whole minutes, for seven days. */
const keptSeconds = 3_600;
/** Clocks differ, and planning takes its time. */
const marginSeconds = 300;
/** What the question is billed as. */
export const pitrProbeReads = 1;

/** Whether the backup may outlive the hour that every source keeps. */
export const mayOutliveSnapshot = ({ startedAt, deadline }: Pick<BackupRecord, 'startedAt' | 'deadline'>): boolean =>
  Date.parse(deadline ?? '') - Date.parse(startedAt ?? '') > (keptSeconds - marginSeconds) * 1_000;

/** Whether the source still has a minute of more than an hour ago: then it has point-in-time recovery. */
export const hasPointInTimeRecovery = async (source: FirestoreDatabase, now: Date, signal?: AbortSignal): Promise<boolean> => {
  const earlier = `${iso(after(now, -(keptSeconds + marginSeconds))).slice(0, 16)}:00.000000Z`;
  try {
    await listCollections(source, source.root, earlier, signal);
    return true;
  } catch (error) {
    // Whatever else is wrong with the source, the next question brings it to light.
    if (error instanceof SourceError) return false;
    throw error;
  }
};

/** Resolves at the beginning of a minute: what was written before the backup was asked for is in it. */
export const waitForNextMinute = async (clock: Clock, signal: AbortSignal): Promise<void> => {
  await pause(msToNextMinute(clock.now()), undefined, { signal });
};

/** A second more, for a source whose clock is behind. */
export const msToNextMinute = (now: Date): number => 61_000 - (now.getTime() % 60_000);

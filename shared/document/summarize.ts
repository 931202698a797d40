/** Says when a document was last seen, and what to restore. Pure: all times are in microseconds. */
import { microsOf } from '../pitr/index.ts';
import type { DocumentVersion } from './find-versions.ts';

/** `exists` is null if it cannot be said. */
export interface KnownState {
  readonly exists: boolean | null;
  readonly contentHash: string | null;
  readonly updateTime: string | null;
}

interface KnownBackup extends KnownState {
  readonly id: string;
  readonly readAt: number;
}

export interface KnownStates {
  readonly now: number;
  readonly live: KnownState;
  readonly backups: readonly KnownBackup[];
  /** Newest first. */
  readonly versions: readonly DocumentVersion[];
  /** All captured changes after this are in `versions`; undefined without captures. */
  readonly searchedFrom: number | undefined;
}

export type Restorable = { readonly contentHash: string | null } & (
  | { readonly backupId: string; readonly moment?: undefined }
  | { readonly moment: number; readonly backupId?: undefined }
);

export interface DocumentSummary {
  readonly found: boolean;
  readonly lastSeen: number | undefined;
  readonly lastChangedAt: number | undefined;
  readonly vanished: { readonly from: number; readonly to: number } | undefined;
  readonly recommended: Restorable | undefined;
}

export const summarize = (states: KnownStates): DocumentSummary => {
  const { now, live, backups, versions } = states;
  const written = versions.filter(({ isDeleted }) => !isDeleted);
  const having = backups.filter(({ exists }) => exists === true);
  const vanished = live.exists === true ? undefined : vanishedIn(states);
  const seen = [...having.map(({ readAt }) => readAt), ...written.map(({ at }) => at)];
  const updates = [live, ...having].flatMap(({ updateTime }) => (updateTime === null ? [] : [microsOf(updateTime)]));
  const changed = [...updates, ...written.map(({ at }) => at)];
  return {
    found: live.exists === true || having.length > 0 || versions.length > 0,
    lastSeen: live.exists === true ? now : greatest([...seen, ...(vanished ? [vanished.from] : [])]),
    lastChangedAt: greatest(changed),
    vanished,
    recommended: recommend(states),
  };
};

/** A captured deletion is exact to the second; otherwise the document vanished between a state that has it and one that has not. */
const vanishedIn = ({ now, live, backups, versions }: KnownStates): DocumentSummary['vanished'] => {
  const [newest, previous] = versions;
  const lastHaving = greatest([
    ...backups.filter(({ exists }) => exists === true).map(({ readAt }) => readAt),
    ...versions.filter(({ isDeleted }) => !isDeleted).map(({ at }) => at),
  ]);
  if (newest?.isDeleted && newest.at >= (lastHaving ?? 0))
    return { from: newest.restorableBefore ?? previous?.at ?? lastHaving ?? newest.at, to: newest.at };
  if (lastHaving === undefined) return undefined;
  const missing = backups.filter(({ exists, readAt }) => exists === false && readAt > lastHaving).map(({ readAt }) => readAt);
  const to = missing.length > 0 ? Math.min(...missing) : live.exists === false ? now : undefined;
  return to === undefined ? undefined : { from: lastHaving, to };
};

interface Choice {
  /** The last time at which this state was current, as far as known. */
  readonly until: number;
  readonly restorable: Restorable;
}

/**
 * The newest state that is not the live one. Where a backup has the same state as a moment, the backup: it needs no captured changes,
 * and restores faster.
 */
const recommend = ({ live, backups, versions, searchedFrom }: KnownStates): Restorable | undefined => {
  const having = backups.filter(({ exists }) => exists === true);
  const ofBackups = having.map(
    ({ id, readAt, contentHash }): Choice => ({ until: readAt, restorable: { backupId: id, contentHash } }),
  );
  const ofMoments = versions.flatMap(({ restorableAt, contentHash }): Choice[] =>
    restorableAt === null ? [] : [{ until: restorableAt, restorable: { moment: restorableAt, contentHash } }],
  );
  // What was deleted existed before, although its version may have been captured before the search ended.
  const oldest = versions.at(-1);
  const beforeDeletion: Choice[] =
    oldest?.isDeleted && oldest.restorableBefore !== null
      ? [{ until: oldest.restorableBefore, restorable: { moment: oldest.restorableBefore, contentHash: null } }]
      : [];
  const choices = [...ofBackups, ...ofMoments, ...beforeDeletion].sort((a, b) => b.until - a.until);
  const chosen = choices.find(
    ({ restorable: { contentHash } }) => live.exists !== true || contentHash === null || contentHash !== live.contentHash,
  );
  if (!chosen || chosen.restorable.backupId !== undefined) return chosen?.restorable;
  const same = having.find(({ contentHash, readAt }) =>
    chosen.restorable.contentHash === null
      ? searchedFrom !== undefined && searchedFrom <= readAt && readAt <= chosen.until
      : contentHash === chosen.restorable.contentHash,
  );
  return same ? { backupId: same.id, contentHash: same.contentHash } : chosen.restorable;
};

const greatest = (times: readonly number[]): number | undefined => (times.length === 0 ? undefined : Math.max(...times));

/** The changes observed in one cycle, per collection group: written to the batch step by step, and remembered by name. */
import type { ChangeBatchWriter } from '../batch/change-batch-writer.ts';
import type { ResumePosition } from '../model/resume-position.ts';

/** A version of a document; times in microseconds. */
export interface Version {
  readonly updated: number;
  readonly created: number;
}

/** The source's count of a group (existence filter), and the deletions and creations observed until then. */
export interface ExistenceFilter {
  readonly count: number;
  readonly gone: number;
  readonly created: number;
}

/** A document to find versions of, between two moments. */
export interface VersionSearch {
  readonly name: string;
  /** Its versions are known up to here, in microseconds. */
  readonly from: number;
  /** The end of the step: `last` is its version here. */
  readonly to: number;
  readonly last: Version | undefined;
  /** Versions that are already in the batch, by time: their ends must be written, too. */
  readonly versions: readonly Version[];
  /** When the source noticed the deletion, if the group was listened to by then. */
  readonly seenAt: number | undefined;
}

export class CollectionGroup {
  position: ResumePosition;
  /** Start of listening, in microseconds. After a handover it lies before `position.to`. */
  readonly since: number;
  /** Listened to without interruption since `position`: every creation and deletion was observed. */
  readonly isContinuous: boolean;
  /** Everything up to here was observed. */
  heard: Pick<ResumePosition, 'to' | 'token'>;
  /** The current version of each changed document; undefined if it is deleted. */
  readonly changes = new Map<string, Version | undefined>();
  /** From `position` to the first response: only the result was sent, not what was created and deleted before. */
  unobserved: Span | undefined;
  filter: ExistenceFilter | undefined;
  /** The source sent unchanged documents: it replays the whole group, without deletions. */
  isReplayed = false;
  /** Billed for the documents that were sent. */
  readsSent = 0;

  constructor(position: ResumePosition, isLive: boolean) {
    this.position = position;
    this.since = position.to;
    this.isContinuous = isLive;
    this.heard = position;
  }

  /** Whether the first consistent point was reached: the first response shows the result, not what happened before. */
  get isHeard(): boolean {
    return this.isContinuous || this.heard !== this.position;
  }

  /** Whether the observation is complete around that moment, without a count or replay that would need a check. */
  wasHeardAt(moment: number): boolean {
    return !this.filter && !this.isReplayed && this.position.to <= moment && moment <= this.heard.to;
  }

  /** Deletions, and documents created since `position`. */
  tally(): { readonly gone: number; readonly created: number } {
    let [gone, created] = [0, 0];
    for (const version of this.changes.values())
      if (!version) gone += 1;
      else if (version.created > this.position.to) created += 1;
    return { gone, created };
  }

  /** A new query is billed as at least one read. */
  get reads(): number {
    return Math.max(this.isContinuous ? 0 : 1, this.readsSent);
  }
}

/** A period, in microseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export class ObservedChanges {
  readonly writer: ChangeBatchWriter;
  readonly groups = new Map<string, CollectionGroup>();
  /** Look-ups needed to prove every second. */
  searches: VersionSearch[] = [];
  timeRequests = 0;

  constructor(writer: ChangeBatchWriter) {
    this.writer = writer;
  }

  /**
   * The previous worker captured everything up to `to`, so those versions are not looked up again. Deletions are still written as
   * tombstones, because a later batch overrides an earlier one.
   */
  skipUpTo(to: number): void {
    for (const search of this.searches) if (search.to <= to && !search.last) this.writer.tombstone(search.name, search.to);
    this.searches = this.searches.filter((search) => search.to > to);
  }

  /** The number of changed documents. */
  get documents(): number {
    return [...this.groups.values()].reduce((sum, { changes }) => sum + changes.size, 0);
  }

  /** Billed reads. */
  get reads(): number {
    return [...this.groups.values()].reduce((sum, { reads }) => sum + reads, this.timeRequests);
  }
}

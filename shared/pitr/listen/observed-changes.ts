/** What is heard in a turn, group by group: stored step by step, and remembered by name. */
import type { ChangeBatchWriter } from '../batch/change-batch-writer.ts';
import { lastSecondBefore } from '../model/micro-time.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import type { VersionSearch } from '../prove/version-search.ts';

/** A version of a document: its times in microseconds. */
export interface Version {
  readonly updated: number;
  readonly created: number;
}

/** How many documents the source says that a group has, and what it had told of until then. */
export interface Filter {
  readonly count: number;
  readonly gone: number;
  readonly created: number;
}

export class CollectionGroup {
  position: ResumePosition;
  /** Since when it is heard here, in microseconds: who takes over from another heard something before that one left. */
  readonly since: number;
  /** Whether the group is listened to since it was left off, so that whatever came and went was told. */
  readonly isContinuous: boolean;
  /** Up to when everything was told, in microseconds. */
  heard: Pick<ResumePosition, 'to' | 'token'>;
  /** What each document that changed is by now; undefined if it is gone. */
  readonly changes = new Map<string, Version | undefined>();
  filter: Filter | undefined;
  /** Documents came that had not changed: the source told all there is, and of nothing that is gone. */
  isReplayed = false;
  /** Documents sent. */
  documentsSent = 0;

  constructor(position: ResumePosition, isLive: boolean) {
    this.position = position;
    this.since = position.to;
    this.isContinuous = isLive;
    this.heard = position;
  }

  /** Whether anything was told yet: what is told first is what is there by then, whatever came and went before. */
  get isHeard(): boolean {
    return this.isContinuous || this.heard !== this.position;
  }

  /** Whether everything was told, beyond doubt, from before that moment on until behind it: what was counted holds from its beginning on. */
  wasHeardAt(moment: number): boolean {
    return !this.filter && !this.isReplayed && this.position.to <= moment && moment <= this.heard.to;
  }

  /** Deletions, and documents that were created since the group was left off. */
  tally(): { readonly gone: number; readonly created: number } {
    let [gone, created] = [0, 0];
    for (const version of this.changes.values())
      if (!version) gone += 1;
      else if (version.created > this.position.to) created += 1;
    return { gone, created };
  }

  /** A query that is begun is billed as one read at least. */
  get reads(): number {
    return Math.max(this.isContinuous ? 0 : 1, this.documentsSent);
  }
}

/** A stretch of time, in microseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export class ObservedChanges {
  readonly writer: ChangeBatchWriter;
  readonly groups = new Map<string, CollectionGroup>();
  /** What is to be looked up before every second is known. */
  searches: VersionSearch[] = [];
  /** Within it nobody listened all the time: a document that came and went was told to nobody. */
  unobserved: Span | undefined;
  /** How often the source was asked for the time. */
  timeRequests = 0;

  constructor(writer: ChangeBatchWriter) {
    this.writer = writer;
  }

  /** That of a group only the ends are told. */
  markUnobserved({ from, to }: Span): void {
    if (lastSecondBefore(to) <= from) return;
    const { unobserved = { from, to } } = this;
    this.unobserved = { from: Math.min(from, unobserved.from), to: Math.max(to, unobserved.to) };
  }

  /**
   * Somebody else has captured everything up to then: of that nothing is looked up again. A later batch knows better, so what it tells
   * to have come it must also tell to be gone.
   */
  skipUpTo(to: number): void {
    for (const walk of this.searches) if (walk.to <= to && !walk.last) this.writer.tombstone(walk.name, walk.to);
    this.searches = this.searches.filter((walk) => walk.to > to);
  }

  /** Documents that changed. */
  get documents(): number {
    return [...this.groups.values()].reduce((sum, { changes }) => sum + changes.size, 0);
  }

  /** What the source bills for what it told. */
  get reads(): number {
    return [...this.groups.values()].reduce((sum, { reads }) => sum + reads, this.timeRequests);
  }
}

/** Compares the versions in a base backup and its batches with the history of the source. */
import { deepEqual, ok } from 'node:assert/strict';
import { recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import type { MemoryStore, ObjectStore } from '../../../../shared/destination/index.ts';
import {
  type Base,
  type BatchRecord,
  baseFor,
  type ChangeBatchReader,
  microsOf,
  momentOf,
  type PitrRecord,
} from '../../../../shared/pitr/index.ts';
import type { Tenant } from '../../../../shared/platform/index.ts';
import { type BackupDeps, openArchive, readBackup } from '../../../../shared/stored-backup/index.ts';
import { documentsRoot } from '../../firestore/write-documents.ts';

/** The part of `CaptureEnv` that is compared. */
interface Env {
  readonly tenant: Tenant;
  readonly deps: BackupDeps;
  readonly sourceProjectId: string;
  readonly pitr: PitrRecord;
  readonly batches: readonly BatchRecord[];
  readonly readBatches: (batches: readonly BatchRecord[]) => ReturnType<ChangeBatchReader['read']>;
  readonly truthAt: (micros: number) => ReadonlyMap<string, string>;
  readonly folder: (path: string) => MemoryStore;
  readonly wrap: (store: MemoryStore) => ObjectStore;
}

interface Version {
  readonly name: string;
  readonly at: number;
  /** The number of its batch; the first is 1. */
  readonly order: number;
  readonly from: number;
  /** Undefined if it is deleted. */
  readonly content: string | undefined;
}

/** Asserts that base and batches alone yield the state of the source at each moment; a later batch overrides an earlier one. */
export const assertExact = async (t: Env, moments: readonly number[]): Promise<void> => {
  ok(moments.length > 0, 'no moment to check');
  const known = new Map<string, readonly Version[]>();
  const prefix = documentsRoot(t.sourceProjectId).length + 1;
  for (const moment of moments) {
    const base = baseFor(t.pitr, momentOf(moment))!;
    const versions = known.get(base.backupId) ?? (await versionsFrom(t, base));
    known.set(base.backupId, versions);
    const since = microsOf(base.readTime);
    const newest = new Map<string, Version>();
    for (const version of versions)
      if (version.at === 0 || (version.at > since && version.at <= moment && version.from < moment && isLater(version, newest)))
        newest.set(version.name, version);
    const found = [...newest.values()].flatMap(({ name, content }) =>
      content === undefined ? [] : [[name.slice(prefix), content]],
    );
    deepEqual(found.sort(byPath), [...t.truthAt(moment)].sort(byPath), `at ${momentOf(moment)}`);
  }
};

/** All versions in base and batches; those of the base have time 0. */
const versionsFrom = async (t: Env, { backupId, readTime }: Base): Promise<readonly Version[]> => {
  const versions: Version[] = [];
  const open = await openArchive(t.tenant, { backup: await readBackup(t.tenant, backupId), deps: t.deps });
  for await (const { leaf, segment } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      if (leaf.kind(slot) === recordKind.document) {
        const content = leaf.content(slot).toString('hex');
        versions.push({ name: leaf.name(slot).toString(), at: 0, order: 0, from: 0, content });
      }
  const batches = t.batches.filter(({ to }) => microsOf(to) > microsOf(readTime));
  for await (const { batch, leaf } of t.readBatches(batches)) {
    const order = batches.findIndex(({ id }) => id === (batch.partOf ?? batch.id));
    for (let slot = 0; slot < leaf.count; slot++) {
      const { seconds, nanos } = leaf.updated(slot);
      const isDeleted = leaf.kind(slot) === recordKind.tombstone;
      versions.push({
        name: leaf.name(slot).toString(),
        at: seconds * 1_000_000 + Math.floor(nanos / 1_000),
        order: order + 1,
        from: microsOf(batches[order]!.from),
        content: isDeleted ? undefined : leaf.content(slot).toString('hex'),
      });
    }
  }
  return versions;
};

/** The parent folder of batches, for reading and locks: each batch has a store of its own here. */
export const batchFolders = (t: Pick<Env, 'folder' | 'wrap'>, parent: string): ObjectStore => {
  const find = (name: string) => {
    const end = name.indexOf('/');
    return { store: t.wrap(t.folder(`${parent}/${name.slice(0, end)}`)), object: name.slice(end + 1) };
  };
  const get: ObjectStore['get'] = async (name, range) => find(name).store.get(find(name).object, range);
  const head: ObjectStore['head'] = async (name) => find(name).store.head(find(name).object);
  const extendLock: ObjectStore['extendLock'] = async (name, state, extension) =>
    find(name).store.extendLock(find(name).object, state, extension);
  return { get, head, extendLock, close: () => undefined } as unknown as ObjectStore;
};

const isLater = ({ name, order, at }: Version, newest: ReadonlyMap<string, Version>): boolean => {
  const known = newest.get(name);
  return !known || order > known.order || (order === known.order && at >= known.at);
};
const byPath = ([a = '']: readonly string[], [b = '']: readonly string[]): number => (a < b ? -1 : 1);

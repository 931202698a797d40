/** An intruder who adds any number of versions stops no reader: listings end, and memory stays flat. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { headExpected, type ObjectStore, objectThat } from '../../../../shared/destination/index.ts';
import type { GcsClient } from '../../../../shared/destination/store/gcs/gcs-client.ts';
import { generationsMax, listGenerations } from '../../../../shared/destination/store/gcs/list-generations.ts';
import {
  type ListedVersion,
  ObjectVersions,
  type VersionedBucket,
} from '../../../../shared/destination/store/object-versions.ts';
import { findLockedVersion } from '../../../../shared/destination/store/s3/s3-object-lock.ts';

/** A folder with the object `chunk`, which was replaced twice, and objects of an intruder before it, without an end. */
class FloodedBucket implements VersionedBucket {
  readonly versionsMax = 1_000;
  readonly listed = new Map<string, number>();

  async *listVersions(prefix: string): AsyncGenerator<ListedVersion> {
    for (const one of this.#all(prefix)) {
      this.listed.set(prefix, (this.listed.get(prefix) ?? 0) + 1);
      yield one;
    }
  }

  *#all(prefix: string): Generator<ListedVersion> {
    for (let n = 0; prefix === '' || prefix === 'flooded'; n++)
      yield { name: 'flooded', version: n % 2 ? `${n}` : undefined, size: 3, isNewest: n === 0 };
    for (const version of ['third', 'second', 'first'])
      yield { name: 'chunk', version, size: version.length, isNewest: version === 'third' };
  }

  async readVersion({ version }: { readonly version: string }): Promise<Uint8Array> {
    return Buffer.from(version);
  }
}

const stored = (name: string) => objectThat(name, 100, (bytes) => Buffer.from(bytes).toString() === 'first');

test('versions: a folder with too many is not listed to the end, and each object is asked for its own', async () => {
  const bucket = new FloodedBucket();
  const versions = new ObjectVersions(bucket);
  const head: ObjectStore['head'] = async (name) => ({ size: 5, version: versions.selected(name)?.version });
  equal(await versions.overwritten(), undefined);
  equal((await headExpected({ versions, head }, stored('chunk')))?.version, 'first');
  equal((await headExpected({ versions, head }, stored('flooded')))?.version, undefined);
  deepEqual(Object.fromEntries(bucket.listed), { '': 100_001, chunk: 3, flooded: 1_001 });
});

test('versions: what was searched in vain is searched again once it is forgotten', async () => {
  const versions = new ObjectVersions(new FloodedBucket());
  ok(!(await versions.select(objectThat('chunk', 100, () => false))));
  ok(!(await versions.select(stored('chunk'))));
  versions.forget('chunk');
  ok(await versions.select(stored('chunk')));
});

/** Cloud Storage with so many generations of each name, the oldest first. */
const googleWith = (names: Readonly<Record<string, { readonly generations: number; readonly isLive: boolean }>>) => {
  let pages = 0;
  const items = Object.entries(names).flatMap(([name, { generations, isLive }]) =>
    Array.from({ length: generations }, (_, n) => ({
      name,
      size: '3',
      generation: `${n + 1}`,
      ...(!(isLive && n === generations - 1) && { timeDeleted: '2026-11-16T00:00:00Z' }),
    })),
  );
  const getFiles = async ({ pageToken = '0' }: { readonly pageToken?: string }) => {
    pages += 1;
    const end = Number(pageToken) + 1_000;
    return [[], null, { items: items.slice(end - 1_000, end), ...(end < items.length && { nextPageToken: `${end}` }) }];
  };
  const client = { attempt: (call: () => unknown) => call(), bucket: () => ({ getFiles }) } as unknown as GcsClient;
  return { client, pages: () => pages };
};

test('gcs: the generations of one object come in groups, so that a reader can end', async () => {
  const flooded = { generations: generationsMax + 5_000, isLive: false };
  const { client, pages } = googleWith({ a: flooded, b: { ...flooded, isLive: true }, c: { generations: 2, isLive: false } });
  for await (const { version, isNewest } of listGenerations(client, { folder: '', prefix: 'a' })) {
    deepEqual([version, isNewest], [`${generationsMax}`, false]);
    break;
  }
  equal(pages(), generationsMax / 1_000 + 1);
  const deleted: string[] = [];
  const counts = new Map<string, number>();
  for await (const { name, version, isNewest } of listGenerations(client, { folder: '', prefix: '' })) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (isNewest && version === undefined) deleted.push(name);
  }
  deepEqual(deleted, ['a', 'c']);
  deepEqual([...counts.values()], [flooded.generations + 1, flooded.generations, 3]);
});

test('s3: the search for a locked version ends below any number of delete markers', async () => {
  let pages = 0;
  const DeleteMarkers = Array.from({ length: 1_000 }, () => ({ Key: 'chunk', IsLatest: false }));
  const call = async () => ({ DeleteMarkers, IsTruncated: true, NextKeyMarker: 'chunk', NextVersionIdMarker: `${++pages}` });
  const bucket = { key: (name: string) => name, options: { bucket: 'backups' }, call };
  equal(await findLockedVersion(bucket as never, { name: 'chunk', newest: undefined }), undefined);
  equal(pages, 1_001);
});

/** The manifest is the commit point of a backup: it lists everything, and its digest identifies it. */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import {
  type Manifest,
  manifestDigest,
  ObjectWriter,
  openManifest,
  ShardWriter,
  sealManifest,
} from '../../../../shared/archive/index.ts';
import {
  addAll,
  Bucket,
  dataKey,
  identity,
  manifestOf,
  refuses,
  refusesNow,
  samples,
  settle,
  writing,
} from '../../../harness/builders/sample-archive.ts';

const reading = { identity, dataKey };
const backup = async (count = 30, seed = 'sample') => {
  const options = writing(seed);
  const writer = new ShardWriter(0, options);
  addAll(writer, samples(count));
  return settle(new Bucket(), { writer, options });
};

/** Seals any content as a genuine manifest, as an attacker with the key or a later version could. */
const sealAny = (json: unknown, options = writing('any')): Buffer => {
  const writer = new ObjectWriter('manifest', options);
  writer.seal(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)), true);
  return Buffer.concat(writer.take());
};

test('manifest: opens as it was sealed, with and without the digest', async () => {
  const { shard, sealed } = await backup();
  const expected = manifestOf(shard);
  deepEqual(await openManifest(sealed.bytes, { ...reading, digest: sealed.digest }), expected);
  deepEqual(await openManifest(sealed.bytes, reading), expected);
  equal(sealed.digest, manifestDigest(sealed.bytes));
});

test('manifest: no object contains a document or collection name in clear text', async () => {
  const options = writing();
  const writer = new ShardWriter(0, options);
  addAll(writer, samples(30));
  const bucket = new Bucket();
  await settle(bucket, { writer, options, more: { notes: { secret: 'canary' } } });
  equal(bucket.objects.size, 3);
  for (const bytes of bucket.objects.values())
    for (const word of ['things', 'documents', 'parts', 'canary', 'readTime', '0000001', dataKey]) ok(!bytes.includes(word));
});

// B1, B2 for the manifest.
test('manifest: a changed or missing byte is detected even without the digest', async () => {
  const { sealed } = await backup(3);
  for (let at = 0; at < sealed.bytes.length; at++) {
    const damaged = Buffer.from(sealed.bytes);
    damaged[at] = damaged[at]! ^ 0x20;
    await refuses(
      openManifest(damaged, reading),
      ...([
        'bad-magic',
        'unsupported-version',
        'too-large',
        'truncated',
        'header-invalid',
        'wrong-backup',
        'tag-mismatch',
      ] as const),
    );
    await refuses(openManifest(sealed.bytes.subarray(0, at), reading), 'truncated');
  }
});

// B8
test('manifest: a genuine but older manifest does not match the digest', async () => {
  const [before, now] = [await backup(20, 'before'), await backup(30, 'now')];
  await openManifest(before.sealed.bytes, reading);
  await refuses(openManifest(before.sealed.bytes, { ...reading, digest: now.sealed.digest }), 'hash-mismatch');
  // The same content sealed again is a different object.
  notEqual(sealManifest(now.manifest, writing('again')).digest, now.sealed.digest);
});

// B9
test('manifest: a missing object entry fails the digest and, without it, the consistency checks', async () => {
  const { manifest, sealed } = await backup();
  const fewer = { ...manifest, objects: manifest.objects.slice(1) };
  await refuses(openManifest(sealAny(fewer), { ...reading, digest: sealed.digest }), 'hash-mismatch');
  await refuses(openManifest(sealAny({ ...manifest, pages: [] }), reading), 'manifest-invalid');
  await refuses(openManifest(sealAny({ ...manifest, objects: [] }), reading), 'manifest-invalid');
});

// B7, A41
test('manifest: rejects another organization, project or backup in header and content', async () => {
  const { manifest } = await backup();
  for (const other of [{ organization: 'org_02' }, { project: 'prj_02' }, { backup: 'bkp_02' }]) {
    const elsewhere = sealAny(manifest, writing('other', { identity: { ...identity, ...other } }));
    await refuses(openManifest(elsewhere, reading), 'wrong-backup');
    await refuses(openManifest(sealAny({ ...manifest, ...other }), reading), 'wrong-backup', 'manifest-invalid');
    refusesNow(() => sealManifest({ ...manifest, ...other }, writing()), 'wrong-backup', 'manifest-invalid');
  }
  await refuses(openManifest(sealAny(manifest), { ...reading, dataKey: Buffer.alloc(32) }), 'tag-mismatch');
});

// A38
test('manifest: a later format version and an unknown feature have their own error codes', async () => {
  const { manifest } = await backup();
  for (const formatVersion of [1, 3, 99, '2', null, undefined])
    await refuses(openManifest(sealAny({ ...manifest, formatVersion }), reading), 'unsupported-version');
  // The rest of the manifest need not be understood.
  await refuses(openManifest(sealAny({ formatVersion: 99 }), reading), 'unsupported-version');
  await refuses(openManifest(sealAny({ formatVersion: 2, requiredFeatures: ['sparse'] }), reading), 'unknown-feature');
  await refuses(openManifest(sealAny({ ...manifest, requiredFeatures: ['sparse'] }), reading), 'unknown-feature');
  // Additional keys of a later writer are ignored.
  deepEqual(await openManifest(sealAny({ ...manifest, added: { by: 'later' } }), reading), manifest);
});

test('manifest: rejects inconsistent and malformed content', async () => {
  const { manifest } = await backup();
  const [chunk, index] = manifest.objects as [Manifest['objects'][number], Manifest['objects'][number]];
  const [page] = manifest.pages as [Manifest['pages'][number]];
  const changes: object[] = [
    ...[{ organization: 'with blank' }, { parent: 7 }, { readTime: 'yesterday' }, { source: null }, { collections: {} }],
    ...[{ counts: {} }, { counts: { ...manifest.counts, documents: 29 } }, { counts: { ...manifest.counts, users: -1 } }],
    ...[
      { objects: [chunk, chunk, index] },
      { objects: [chunk, { ...index, backup: 'bkp_00' }] },
      { objects: [chunk, { ...index, name: '../x' }] },
    ],
    ...[
      { objects: [{ ...chunk, sha256: 'AA' }, index] },
      { objects: [{ ...chunk, size: 1.5 }, index] },
      { objects: [{ ...chunk, salt: '' }, index] },
    ],
    ...[{ objects: [{ ...chunk, name: 'manifest' }, index] }, { objects: [chunk, { ...index, frames: 2 }] }, { objects: 'none' }],
    ...[
      { pages: [page, page] },
      { pages: [{ ...page, first: '' }] },
      { pages: [{ ...page, first: '*' }] },
      { pages: [{ ...page, object: chunk.name }] },
    ],
    ...[
      { pages: [{ ...page, offset: 1e9 }] },
      { pages: [{ ...page, frame: 1 }] },
      { pages: [{ ...page, records: 31 }] },
      { pages: [null] },
    ],
    ...[{ notes: [] }, { requiredFeatures: [1] }, { collections: [{ id: 1, documents: 1 }] }],
  ];
  for (const change of changes) await refuses(openManifest(sealAny({ ...manifest, ...change }), reading), 'manifest-invalid');
  for (const text of ['', '{', 'null', '[]', '7', '"x"', '['.repeat(100_000), `${'[{"a":'.repeat(50_000)}`])
    await refuses(openManifest(sealAny(text), reading), 'manifest-invalid');
  refusesNow(
    () => sealManifest({ ...manifest, counts: { documents: 1, tombstones: 0, users: 0 } }, writing()),
    'manifest-invalid',
  );
});

test('manifest: content larger than one frame is stored in several', async () => {
  const { manifest } = await backup();
  const notes = { long: 'é'.repeat(5 * 1024 * 1024) };
  const { bytes } = sealManifest({ ...manifest, notes }, writing());
  // Two-byte characters survive a frame boundary.
  deepEqual((await openManifest(bytes, reading)).notes, notes);
  refusesNow(() => sealManifest({ ...manifest, notes: { long: 'x'.repeat(64 * 1024 * 1024) } }, writing()), 'too-large');
});

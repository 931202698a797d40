/** A backup that reads the source, changes since, and backups that are built from both. Each phase may run in a process of its own. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChunkWriter, DocumentSkim, type Leaf, readChunk, recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import { writeTimestampField } from '../../../../shared/archive/leaf/protobuf-timestamp.ts';
import { asIncrementalOf } from '../../../../shared/backup/index.ts';
import { latestChanges } from '../../../../shared/pitr/point/latest-changes.ts';
import { type ChangeSource, openRawArchive, type PlannedBackup } from '../../../../shared/stored-backup/index.ts';
import type { Outcome, Task } from '../bench-processes.ts';
import {
  benchTenant,
  completedBackup,
  createWorld,
  engineOf,
  packWorld,
  runBackup,
  unpackWorld,
  type World,
} from '../run-backup.ts';
import { FileStore } from '../store/file-store.ts';
import { serve } from './serve-tasks.ts';

const batchName = 'chunk/00000000-0000';
const batchIdentity = { organization: 'bench', project: 'bench', backup: 'batch' };
const batchKey = Buffer.alloc(32, 7);
/** One document in a hundred has changed; of a hundred changes one deletes and one creates. */
const changedEvery = 100;
const laterMs = 3_600_000;

const run = async ({ url, project, dir = '', phase = 'read' }: Task): Promise<Outcome> => {
  const folder = (path: string) => new FileStore(join(dir, path));
  const engine = engineOf(url, project, async (path) => folder(path));
  const file = join(dir, 'world');
  const world: World = existsSync(file) ? unpackWorld(readFileSync(file)) : createWorld(project);
  if (phase === 'capture') return capture(engine, folder('batches'));
  const changes = phase === 'read' ? undefined : await changesIn(folder('batches'));
  const base = phase === 'incremental' ? completedBackup(({ builtFrom }) => builtFrom === 'source') : undefined;
  const { documents, bytes, reads, shards } = await runBackup(
    world,
    { ...engine, ...(changes && { changes }) },
    base && asIncrementalOf(base),
  );
  writeFileSync(file, packWorld(world));
  return { documents, bytes, reads, shards, stored: 0 };
};

/** Spread evenly over the names, in no order, so that most leaves have changes: the dearest case. */
const capture = async (engine: ReturnType<typeof engineOf>, store: FileStore): Promise<Outcome> => {
  const base = completedBackup();
  const { archive, close } = await openRawArchive(benchTenant(), { backup: base, deps: engine });
  const changed: { readonly name: Buffer; readonly content: Buffer | undefined }[] = [];
  let n = 0;
  const tail = Buffer.alloc(32);
  const tailBytes = writeTimestampField(tail, 0, 0x22, Math.floor((Date.parse(base.readTime) + laterMs / 2) / 1_000), 5_000);
  for await (const { segment, leaf } of streamLeaves(archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      if (n++ % changedEvery !== changedEvery >> 1) continue;
      const kind = changed.length % 100;
      const name = Buffer.from(kind === 1 ? `${leaf.name(slot)}x` : leaf.name(slot));
      const named = Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]);
      // Of a repeated field the last one counts.
      const content = Buffer.concat([leaf.content(slot), ...(kind === 1 ? [named] : []), tail.subarray(0, tailBytes)]);
      changed.push({ name, content: kind === 0 ? undefined : content });
    }
  close();
  const writer = new ChunkWriter(batchName, { identity: batchIdentity, dataKey: batchKey, random: randomBytes, ordered: false });
  const marks = new DocumentSkim();
  const updated = { updatedSeconds: Math.floor((Date.parse(base.readTime) + laterMs / 2) / 1_000), updatedNanos: 5_000 };
  for (let i = 0; i < changed.length; i++) {
    const { name, content } = changed[(i * 7_919) % changed.length] ?? { name: Buffer.alloc(0), content: undefined };
    if (content) {
      marks.read(content, 0, content.length);
      writer.document(content, 0, content.length, marks);
    } else
      writer.record(
        recordKind.tombstone,
        name,
        { nameStart: 0, nameEnd: name.length, createdSeconds: 0, createdNanos: 0, ...updated },
        0,
        0,
      );
  }
  writer.finish();
  await store.put(batchName, Buffer.concat(writer.take()));
  return { documents: changed.length, bytes: 0, stored: 0 };
};

const varint = (value: number): Buffer => (value < 128 ? Buffer.from([value]) : Buffer.from([(value & 127) | 128, value >> 7]));

/** As `capturedChanges`, without the record of captures. */
const changesIn = async (store: FileStore): Promise<ChangeSource> => {
  const base: PlannedBackup = completedBackup(({ builtFrom }) => builtFrom === 'source');
  const moment = new Date(Date.parse(base.readTime) + laterMs).toISOString();
  async function* read(): AsyncGenerator<{ readonly batch: { readonly id: string }; readonly leaf: Leaf }> {
    const options = { identity: batchIdentity, name: batchName, dataKey: batchKey };
    for await (const { leaf } of readChunk([await store.get(batchName)], options)) yield { batch: { id: 'batch' }, leaf };
  }
  const readChanges = () => latestChanges({ read, after: base.readTime, upTo: moment });
  const changes = base.documentCount / changedEvery;
  return { findMoment: async () => ({ base, moment, auditedSince: async () => base.readTime, changes, readChanges }) };
};

serve(run);

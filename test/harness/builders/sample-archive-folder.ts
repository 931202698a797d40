/** Builds a backup of many documents in several leaves, as objects to store anywhere. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  encodeKeyFile,
  type Identity,
  type KeyWrap,
  keyFileName,
  type Manifest,
  manifestName,
  ShardWriter,
  sealManifest,
  wrapKey,
} from '../../../shared/archive/index.ts';
import { addAll, chance, manifestOf, type Sample, samples } from './sample-archive.ts';

export const passphrase = 'correct horse battery staple';
export const identity: Identity = { organization: 'org_a', project: 'prj_a', backup: 'bkp_a' };
export const documentCount = 3_000;

interface SampleBackup {
  readonly objects: ReadonlyMap<string, Buffer>;
  readonly digest: string;
}

interface SampleContent {
  /** Its id, if not that of `identity`. */
  readonly backup?: string;
  readonly source?: string;
  readonly documents?: readonly Sample[];
  readonly notes?: Manifest['notes'];
}

/** Wrapped by a passphrase unless `wrap` is given. */
export const sampleBackup = async (
  dataKey: Buffer = chance('a key')(32),
  wrap?: KeyWrap,
  content: SampleContent = {},
): Promise<SampleBackup> => {
  const of: Identity = { ...identity, ...(content.backup && { backup: content.backup }) };
  const options = { identity: of, dataKey, random: chance('sample backup') };
  const writer = new ShardWriter(0, options);
  addAll(writer, content.documents ?? samples(documentCount, { textBytes: 900 }));
  const shard = writer.finish();
  const { bytes, digest } = sealManifest(
    manifestOf(shard, {
      ...of,
      ...(content.source && { source: content.source }),
      ...(content.notes && { notes: content.notes }),
    }),
    options,
  );
  const wraps = [wrap ?? (await wrapKey(dataKey, passphrase, { identity: of, random: chance('wrap') }))];
  const objects = new Map([
    [keyFileName, encodeKeyFile({ identity: of, wraps })],
    ['chunk/00000000-0000', Buffer.concat(writer.takeChunk())],
    ['index/00000000-0000', Buffer.concat(writer.takeIndex())],
    [manifestName, bytes],
  ]);
  return { objects, digest };
};

/** Writes plain files, or files as the local stage's S3 stores them. */
export const writeObjects = (folder: string, objects: ReadonlyMap<string, Uint8Array>, asStageFiles = false): void => {
  for (const [name, bytes] of objects) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(asStageFiles ? `${file}.data` : file, bytes);
    if (asStageFiles) writeFileSync(`${file}.meta.json`, JSON.stringify({ key: name }));
  }
};

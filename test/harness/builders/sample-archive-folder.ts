/** Builds a backup of many documents in several leaves, as objects to store anywhere. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  encodeKeyFile,
  type Identity,
  type KeyWrap,
  keyFileName,
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

/** Wrapped by a passphrase unless `wrap` is given. */
export const sampleBackup = async (
  dataKey: Buffer = chance('a key')(32),
  wrap?: KeyWrap,
  content: { readonly source?: string; readonly documents?: readonly Sample[] } = {},
): Promise<SampleBackup> => {
  const options = { identity, dataKey, random: chance('sample backup') };
  const writer = new ShardWriter(0, options);
  addAll(writer, content.documents ?? samples(documentCount, { textBytes: 900 }));
  const shard = writer.finish();
  const { bytes, digest } = sealManifest(
    manifestOf(shard, { ...identity, ...(content.source && { source: content.source }) }),
    options,
  );
  const wraps = [wrap ?? (await wrapKey(dataKey, passphrase, { identity, random: chance('wrap') }))];
  const objects = new Map([
    [keyFileName, encodeKeyFile({ identity, wraps })],
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

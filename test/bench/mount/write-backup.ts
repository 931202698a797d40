/** Child process: writes a backup of `argv[3]` documents of 1 kB in the collection `things` into the folder `argv[2]`. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  DocumentSkim,
  encodeKeyFile,
  keyFileName,
  manifestName,
  ShardWriter,
  sealManifest,
  wrapKey,
} from '../../../shared/archive/index.ts';
import { chance, documentOf, manifestOf } from '../../harness/builders/sample-archive.ts';
import { identity, passphrase } from '../../harness/builders/sample-archive-folder.ts';

const [, , folder = '.', count = '1000000'] = process.argv;
const textBytes = 900;
const dataKey = chance('a key')(32);
const options = { identity, dataKey, random: chance('mounted backup') };
const text = chance('texts')(1 << 20).toString('hex');
for (const name of ['chunk', 'index']) mkdirSync(join(folder, name), { recursive: true });
const files = {
  chunk: openSync(join(folder, 'chunk/00000000-0000'), 'w'),
  index: openSync(join(folder, 'index/00000000-0000'), 'w'),
};
const writer = new ShardWriter(0, options);
const flush = (atLeast: number): void => {
  if (writer.pendingBytes.chunk >= atLeast) for (const piece of writer.takeChunk()) writeSync(files.chunk, piece);
  if (writer.pendingBytes.index >= atLeast) for (const piece of writer.takeIndex()) writeSync(files.index, piece);
};
const skim = new DocumentSkim();
for (let i = 0; i < Number(count); i++) {
  const at = (i * 7_919) % (text.length - textBytes);
  const time = { seconds: 1_700_000_000 + i, nanos: 0 };
  const name = `projects/p/databases/(default)/documents/things/${String(i).padStart(7, '0')}`;
  const bytes = documentOf(name, { text: text.slice(at, at + textBytes), created: time, updated: time });
  skim.read(bytes, 0, bytes.length);
  writer.document(bytes, 0, bytes.length, skim);
  flush(8 << 20);
}
const shard = writer.finish();
flush(0);
const wraps = [await wrapKey(dataKey, passphrase, { identity, random: chance('wrap') })];
writeFileSync(join(folder, keyFileName), encodeKeyFile({ identity, wraps }));
writeFileSync(join(folder, manifestName), sealManifest(manifestOf(shard, identity), options).bytes);
for (const file of Object.values(files)) closeSync(file);

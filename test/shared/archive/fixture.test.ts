/** Backups of every format version remain readable byte for byte. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import {
  Archive,
  type Identity,
  type Leaf,
  objectKind,
  openManifest,
  parseKeyFile,
  readChunk,
  readIndex,
  streamLeaves,
  unwrapKey,
} from '../../../shared/archive/index.ts';
import { all } from '../../harness/builders/sample-archive.ts';

const folder = fileURLToPath(new URL('../../fixture/archive', import.meta.url));

interface Expected {
  readonly identity: Identity;
  readonly digest: string;
  readonly passphrase: string;
  readonly dataKey: string;
}

const read = (version: string, backup: string, name: string): Buffer => readFileSync(join(folder, version, backup, name));
const expectedOf = (version: string, backup: string): Expected =>
  JSON.parse(String(read(version, backup, 'expected.json'))) as Expected;
const keyOf = (version: string, backup: string): Buffer => Buffer.from(expectedOf(version, backup).dataKey, 'hex');
const lines = (version: string, backup: string): { kind: number; name: string; sha256: string }[] =>
  String(read(version, backup, 'expected.ndjson'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const describe = (leaf: Leaf, slot: number) => ({
  kind: leaf.kind(slot),
  name: String(leaf.name(slot)),
  sha256: hash('sha256', leaf.content(slot)),
});

const open = async (version: string, backup: string): Promise<Archive> => {
  const { identity, digest } = expectedOf(version, backup);
  const manifest = await openManifest(read(version, backup, 'manifest'), { identity, dataKey: keyOf(version, backup), digest });
  return new Archive(manifest, {
    dataKey: (of) => keyOf(version, of),
    fetch: async ({ backup: of, name }, { offset, length }) => read(version, of, name).subarray(offset, offset + length),
  });
};

const versions = readdirSync(folder);
test('fixtures: exist for every format version', () => deepEqual(versions, ['v2']));

for (const version of versions)
  for (const backup of readdirSync(join(folder, version))) {
    test(`${version} ${backup}: every record is read byte for byte and in order`, async () => {
      const found: ReturnType<typeof describe>[] = [];
      for await (const { segment, leaf } of streamLeaves(await open(version, backup)))
        for (let slot = segment.start; slot < segment.start + segment.count; slot++) found.push(describe(leaf, slot));
      deepEqual(found, lines(version, backup));
    });

    test(`${version} ${backup}: every record is found by name`, async () => {
      const archive = await open(version, backup);
      for (const line of lines(version, backup)) {
        const found = await archive.find(Buffer.from(line.name));
        ok(found);
        deepEqual(describe(found.leaf, found.slot), line);
      }
    });

    test(`${version} ${backup}: every object verifies`, async () => {
      const { manifest } = await open(version, backup);
      for (const entry of manifest.objects) {
        const options = {
          identity: { ...expectedOf(version, backup).identity, backup: entry.backup },
          name: entry.name,
          dataKey: keyOf(version, entry.backup),
          entry,
        };
        const whole = objectKind(entry.name) === 'chunk' ? readChunk : readIndex;
        ok((await all<unknown>(whole([read(version, entry.backup, entry.name)], options))).length > 0 || entry.records === 0);
      }
    });

    test(`${version} ${backup}: the passphrase opens the key`, async () => {
      const { identity, passphrase, dataKey } = expectedOf(version, backup);
      const file = parseKeyFile(read(version, backup, 'key'));
      deepEqual(file.identity, identity);
      const [wrap] = file.wraps;
      ok(wrap?.kind === 'passphrase');
      equal((await unwrapKey(wrap, passphrase, identity)).toString('hex'), dataKey);
    });
  }

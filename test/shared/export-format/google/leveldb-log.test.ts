/** Logs of LevelDB and the metadata of exports, read as their definitions say. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { test } from 'vitest';
import { crc32c } from '../../../../infra/local/engines/gcs/crc32c.ts';
import { kindExportMetadata, LevelDbLog, overallExportMetadata } from '../../../../shared/export-format/index.ts';

const blockBytes = 32_768;

/** A reader after doc/log_format.md of LevelDB; it checks every CRC. */
const readLog = (log: Buffer): Buffer[] => {
  const records: Buffer[] = [];
  let open: Buffer[] | undefined;
  for (let at = 0; at < log.length; ) {
    const left = blockBytes - (at % blockBytes);
    if (left < 7) {
      ok(log.subarray(at, at + left).every((byte) => byte === 0));
      at += left;
      continue;
    }
    const [masked, length, type] = [log.readUInt32LE(at), log.readUInt16LE(at + 4), log.readUInt8(at + 6)];
    ok(7 + length <= left, 'a fragment crosses its block');
    const rotated = (masked - 0xa282ead8) >>> 0;
    equal(((rotated >>> 17) | (rotated << 15)) >>> 0, crc32c(log.subarray(at + 6, at + 7 + length)) >>> 0);
    const piece = log.subarray(at + 7, at + 7 + length);
    equal(open === undefined, type === 1 || type === 2);
    open = [...(open ?? []), piece];
    if (type === 1 || type === 4) {
      records.push(Buffer.concat(open));
      open = undefined;
    }
    at += 7 + length;
  }
  equal(open, undefined);
  return records;
};

const logOf = (records: readonly Uint8Array[]): Buffer => {
  const log = new LevelDbLog();
  const bytes = Buffer.concat(records.map((record) => log.record(record)));
  equal(log.size, bytes.length);
  return bytes;
};

test('leveldb log: records of any size are read back, at every position in a block', () => {
  // Ends of blocks are where a log goes wrong: records leave 0 to 8 bytes of the first one.
  for (let left = 0; left <= 8; left++) {
    const records = [Buffer.alloc(blockBytes - 7 - left, 1), Buffer.from('x'), Buffer.alloc(70_000, 2), Buffer.alloc(0)];
    deepEqual(readLog(logOf(records)), records);
  }
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.nat(100_000)), { maxLength: 8 });
  fc.assert(
    fc.property(sizes, (all) => {
      const records = all.map((size, n) => Buffer.alloc(size, n + 1));
      deepEqual(readLog(logOf(records)), records);
    }),
    { numRuns: 40 },
  );
});

const { root } = protobuf.parse(
  `syntax = "proto2";
  message Overall { repeated Kind kind = 1; }
  message Kind { optional Format format = 1; optional string path = 2; optional int64 entities = 3; optional int64 bytes = 4; }
  message Format { optional int32 a = 1; optional int32 b = 3; }
  message Metadata { optional Run run = 1; repeated Output output = 2; }
  message Run { optional string name = 1; optional int64 start = 2; optional int64 end = 3; }
  message Output { optional string prefix = 1; optional string file = 2; }`,
  { keepCase: true },
);
const decode = (type: string, bytes: Buffer): unknown => {
  const found = root.lookupType(type);
  return found.toObject(found.decode(bytes), { longs: Number, arrays: true });
};

test('google metadata: the overall file names the version and the file of each kind', () => {
  const kinds = [
    { metadataPath: 'all_namespaces/kind_users/all_namespaces_kind_users.export_metadata', entities: 9, bytes: 5_000_000_000 },
    { metadataPath: 'b', entities: 0, bytes: 0 },
  ];
  const [version, overall = Buffer.alloc(0), ...more] = readLog(overallExportMetadata(kinds));
  deepEqual([version, more], [Buffer.from([0x33]), []]);
  deepEqual(decode('Overall', overall), {
    kind: kinds.map(({ metadataPath, entities, bytes }) => ({ format: { a: 2, b: 3 }, path: metadataPath, entities, bytes })),
  });
  deepEqual(readLog(overallExportMetadata([])), [Buffer.from([0x33]), Buffer.alloc(0)]);
});

test('google metadata: the file of a kind names its output files', () => {
  const bytes = kindExportMetadata({ name: 'firestore_export', at: 1_700_000_000_123_456n, outputs: ['output-0', 'output-1'] });
  deepEqual(decode('Metadata', bytes), {
    run: { name: 'firestore_export', start: 1_700_000_000_123_456, end: 1_700_000_000_123_456 },
    output: [
      { prefix: '', file: 'output-0' },
      { prefix: '', file: 'output-1' },
    ],
  });
});

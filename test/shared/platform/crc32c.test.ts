import { equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { CRC32C } from '@google-cloud/storage';
import { test } from 'vitest';
import { Crc32c } from '../../../shared/platform/crc32c.ts';

const of = (...pieces: Uint8Array[]) => {
  const crc = new Crc32c();
  for (const piece of pieces) crc.update(piece);
  return crc.toString();
};

test('crc32c: the values of RFC 3720, appendix B.4', () => {
  const hex = (text: string) => Buffer.from(text, 'base64').toString('hex');
  equal(hex(of(Buffer.alloc(32))), '8a9136aa');
  equal(hex(of(Buffer.alloc(32, 0xff))), '62a8ab43');
  equal(hex(of(Buffer.from('123456789'))), 'e3069283');
  equal(of(), 'AAAAAA==');
});

test('crc32c: any alignment, length and split gives what the library gives', () => {
  const bytes = randomBytes(100);
  for (let from = 0; from < 12; from++)
    for (let to = from; to < 60; to++) {
      const part = bytes.subarray(from, to);
      const wanted = new CRC32C();
      wanted.update(part);
      equal(of(part), wanted.toString());
      equal(of(part.subarray(0, 5), part.subarray(5)), wanted.toString());
      ok(new Crc32c().update(part).validate(wanted.toString()));
    }
});

/** Writes zip archives (PKWARE's APPNOTE) that depend on names and contents alone: sorted, compressed, of one fixed time. */
import { crc32, deflateRawSync } from 'node:zlib';

/** 1985-10-26T08:15:00 in the form of MS-DOS, as in the packages of npm. */
const modifiedTime = (8 << 11) | (15 << 5);
const modifiedDate = ((1985 - 1980) << 9) | (10 << 5) | 26;
const zipVersion = 20;
const deflated = 8;
/** A regular file that everyone may read: Lambda runs as a user of its own. */
const unixMode = 0o100644;
const madeOnUnix = 3 << 8;

/** For files of less than 4 GB. */
export const zipFiles = (files: Readonly<Record<string, Uint8Array>>): Buffer => {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const name = Buffer.from(path);
    const compressed = deflateRawSync(content, { level: 9 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(zipVersion, 0);
    common.writeUInt16LE(deflated, 4);
    common.writeUInt16LE(modifiedTime, 6);
    common.writeUInt16LE(modifiedDate, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(compressed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    local.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, compressed);
    const further = Buffer.alloc(14);
    further.writeUInt32LE(unixMode * 0x1_0000, 6);
    further.writeUInt32LE(offset, 10);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(madeOnUnix | zipVersion);
    central.push(Buffer.from('PK\x01\x02', 'latin1'), madeBy, common, further, name);
    offset += 30 + name.length + compressed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
};

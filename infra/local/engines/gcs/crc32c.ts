/** CRC-32C (Castagnoli), which Cloud Storage reports for every object. */
const table = Int32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

/** Continues from `before` (0 at the start). */
export const crc32c = (bytes: Buffer, before = 0): number => {
  let crc = ~before;
  // Faster than an iterator.
  for (let n = 0; n < bytes.length; n++) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[n] as number)) & 255] as number);
  return ~crc;
};

/** Cloud Storage's notation: base64 of the four bytes, big-endian. */
export const crc32cText = (crc: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(crc);
  return bytes.toString('base64');
};

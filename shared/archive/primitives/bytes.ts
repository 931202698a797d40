/** Views the bytes as a Buffer without copying. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Decodes base64url; undefined unless it is the canonical spelling of exactly `length` bytes. */
export const decodeBase64 = (text: unknown, length: number): Buffer | undefined => {
  if (typeof text !== 'string' || text.length > 2 * length + 4) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : undefined;
};

export const encodeBase64 = (bytes: Uint8Array): string => asBuffer(bytes).toString('base64url');

/** Length-prefixed text, so that different lists of texts never have the same bytes. */
export const prefixed = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'utf8');
  const out = Buffer.allocUnsafe(2 + bytes.length);
  out.writeUInt16BE(bytes.length);
  bytes.copy(out, 2);
  return out;
};

/** Copies a range without creating a view: called per record, where the view took a tenth of the time. */
export const copyBytes = (from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void => {
  Buffer.prototype.copy.call(from, to, at, start, end);
};

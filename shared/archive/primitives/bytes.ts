/** The same bytes with Buffer's methods; nothing is copied. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The bytes of base64url text, or undefined unless it is the one spelling of exactly that many bytes. */
export const decodeBase64 = (text: unknown, length: number): Buffer | undefined => {
  if (typeof text !== 'string' || text.length > 2 * length + 4) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : undefined;
};

export const encodeBase64 = (bytes: Uint8Array): string => asBuffer(bytes).toString('base64url');

/** Text with its length before it, so that no two lists of texts have the same bytes. */
export const prefixed = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'utf8');
  const out = Buffer.allocUnsafe(2 + bytes.length);
  out.writeUInt16BE(bytes.length);
  bytes.copy(out, 2);
  return out;
};

/** Copies a range without making a view of it first: called for every record, that alone was a tenth of the work on it. */
export const copyBytes = (from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void => {
  Buffer.prototype.copy.call(from, to, at, start, end);
};

import type { Micros } from '../base/types.ts';

const bytes = 9;
const version = 1;

/** A resume token is the time up to which the client has seen everything. */
export const resumeToken = (time: Micros): Uint8Array => {
  const token = Buffer.alloc(bytes);
  token[0] = version;
  token.writeBigUInt64BE(BigInt(time), 1);
  return token;
};

/** The time in a token, or undefined for an unknown format. */
export const resumeTime = (token: Uint8Array): Micros | undefined => {
  if (token.length !== bytes || token[0] !== version) return undefined;
  return Number(Buffer.from(token).readBigUInt64BE(1));
};

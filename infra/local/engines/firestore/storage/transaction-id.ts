/** Transaction ids: opaque to clients, but recognizable, so that one from before a restart counts as expired, not invalid. */
export const makeTransactionId = (nonce: Uint8Array, number: number): Uint8Array => {
  const token = Buffer.alloc(tokenBytes);
  token[0] = mark;
  token.set(nonce, 1);
  token.writeUIntBE(number, 1 + nonceBytes, 6);
  token[tokenBytes - 1] = check(token);
  return token;
};

/** Whether a server of this kind created the token. */
export const isTransactionId = (token: Uint8Array): boolean =>
  token.length === tokenBytes && token[0] === mark && token[tokenBytes - 1] === check(token);

/** The number of a token created with this nonce; undefined otherwise. */
export const transactionNumber = (token: Uint8Array, nonce: Uint8Array): number | undefined => {
  const bytes = Buffer.from(token);
  return bytes.subarray(1, 1 + nonceBytes).equals(nonce) ? bytes.readUIntBE(1 + nonceBytes, 6) : undefined;
};

const mark = 0x11;
const nonceBytes = 6;
const tokenBytes = 1 + nonceBytes + 6 + 1;

const check = (token: Uint8Array): number => {
  let sum = 0;
  for (let i = 0; i < tokenBytes - 1; i++) sum = (sum * 31 + (token[i] ?? 0)) & 0xff;
  return sum;
};

/** Codes that a person reads on one screen and types on another. */
import { secureRandomBytes, sign } from '../platform/index.ts';

/** RFC 8628 section 6.1: no vowels, so that no words arise. 20 letters, eight of them: 2.56 × 10^10 codes. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;
/** Bytes from here on would make the first letters more likely. */
const unbiasedBelow = 256 - (256 % letters.length);

/** As it is shown: `WDJB-MJHT`. */
export const newUserCode = (draw: (count: number) => Uint8Array = secureRandomBytes): string => {
  let code = '';
  while (code.length < codeLength) {
    for (const byte of draw(codeLength - code.length)) {
      if (byte < unbiasedBelow) code += letters[byte % letters.length];
    }
  }
  return `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`;
};

/**
 * Identifies a code in the table. Keyed with the service secret: there are so few codes that a plain hash could be reversed. Case
 * and separators do not matter.
 */
export const userCodeDigest = async (userCode: string): Promise<string> =>
  (await sign('user code', userCode.toUpperCase().replaceAll(/[^A-Z]/g, ''))).toString('base64url');

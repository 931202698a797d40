/**
 * Encrypts files in the format of age (https://age-encryption.org/v1) for the owners of public keys. All that age chooses at random is
 * derived here from a key of the export, the name of the file and its content: a repeated run stores the same bytes again.
 */
import {
  createCipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { parseAgeRecipient } from './age-recipient.ts';

const fileKeyBytes = 16;
const nonceBytes = 16;
const secretBytes = 32;
const tagBytes = 16;
const blockBytes = 64 << 10;
const nothing = Buffer.alloc(0);

/** What surrounds an X25519 key of 32 bytes in DER. */
const der = {
  private: Buffer.from('302e020100300506032b656e04220420', 'hex'),
  public: Buffer.from('302a300506032b656e032100', 'hex'),
};

/** False also of a key with which every secret is the same. */
export const isAgeRecipient = (text: string): boolean => {
  const recipient = parseAgeRecipient(text);
  try {
    return recipient !== undefined && agree(privateKey(Buffer.alloc(secretBytes, 9)), recipient).length > 0;
  } catch {
    return false;
  }
};

export class AgeSealer {
  readonly #recipients: readonly Buffer[];
  readonly #key: Buffer;

  /** `key`: of this export alone. */
  constructor(recipients: readonly string[], key: Buffer) {
    this.#recipients = recipients.map(recipientOf);
    this.#key = key;
  }

  /** `digest`: the SHA-256 of the pieces together. */
  *seal(
    name: string,
    { digest, pieces }: { readonly digest: Uint8Array; readonly pieces: Iterable<Uint8Array> },
  ): Generator<Buffer> {
    const secret = createHmac('sha256', this.#key).update(digest).update(name).digest();
    const fileKey = derive(secret, 'file key', fileKeyBytes);
    yield this.#header(fileKey, secret);
    const nonce = derive(secret, 'nonce', nonceBytes);
    yield nonce;
    yield* sealBlocks(pieces, hkdf(fileKey, { salt: nonce, info: 'payload' }));
  }

  #header(fileKey: Buffer, secret: Buffer): Buffer {
    const stanzas = this.#recipients.map((recipient, n) => {
      const own = privateKey(derive(secret, `recipient ${n}`, secretBytes));
      const share = rawPublicKey(own);
      const salt = Buffer.concat([share, recipient]);
      const wrapping = hkdf(agree(own, recipient), { salt, info: 'age-encryption.org/v1/X25519' });
      return `-> X25519 ${unpadded(share)}\n${unpadded(encrypt(wrapping, Buffer.alloc(12), fileKey))}\n`;
    });
    const header = `age-encryption.org/v1\n${stanzas.join('')}---`;
    const mac = createHmac('sha256', hkdf(fileKey, { salt: nothing, info: 'header' }))
      .update(header)
      .digest();
    return Buffer.from(`${header} ${unpadded(mac)}\n`);
  }
}

const recipientOf = (text: string): Buffer => {
  const recipient = parseAgeRecipient(text);
  if (!recipient) throw new Error('not a public key of age');
  return recipient;
};

/** The nonce of a block is its number in 11 bytes, and whether it is the last. */
function* sealBlocks(pieces: Iterable<Uint8Array>, key: Buffer): Generator<Buffer> {
  const nonce = Buffer.alloc(12);
  const block = Buffer.alloc(blockBytes);
  let used = 0;
  let number = 0;
  const seal = (isLast: boolean): Buffer => {
    nonce.writeUIntBE(number, 5, 6);
    nonce[11] = isLast ? 1 : 0;
    number += 1;
    return encrypt(key, nonce, block.subarray(0, used));
  };
  for (const piece of pieces)
    for (let rest = piece; rest.length > 0; ) {
      // A full block is sealed once another one follows: only then it is known not to be the last.
      if (used === blockBytes) {
        yield seal(false);
        used = 0;
      }
      const taken = rest.subarray(0, blockBytes - used);
      block.set(taken, used);
      used += taken.length;
      rest = rest.subarray(taken.length);
    }
  yield seal(true);
}

const encrypt = (key: Buffer, nonce: Buffer, content: Uint8Array): Buffer => {
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: tagBytes });
  return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
};

const hkdf = (secret: Buffer, { salt, info, bytes = 32 }: { salt: Buffer; info: string; bytes?: number }): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

const derive = (secret: Buffer, info: string, bytes: number): Buffer => hkdf(secret, { salt: nothing, info, bytes });

const privateKey = (raw: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([der.private, raw]), format: 'der', type: 'pkcs8' });

const rawPublicKey = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(der.public.length);

const agree = (own: KeyObject, recipient: Buffer): Buffer => {
  const publicKey = createPublicKey({ key: Buffer.concat([der.public, recipient]), format: 'der', type: 'spki' });
  return diffieHellman({ privateKey: own, publicKey });
};

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

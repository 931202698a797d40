/** RSA signatures like KMS: PKCS #1 v1.5 over a message or its digest. */
import { constants, createPrivateKey, createPublicKey, type KeyObject, privateEncrypt, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { AwsError, type Json, text } from '../../base/aws-service.ts';
import type { StoredKey } from './stored-key.ts';

const signAsync = promisify<string, Buffer, KeyObject, Buffer>(sign);

// RFC 8017, 9.2: the DER prefix that names the hash.
const digestInfo: Readonly<Record<string, { hash: string; bytes: number; prefix: string }>> = {
  RSASSA_PKCS1_V1_5_SHA_256: { hash: 'sha256', bytes: 32, prefix: '3031300d060960864801650304020105000420' },
  RSASSA_PKCS1_V1_5_SHA_384: { hash: 'sha384', bytes: 48, prefix: '3041300d060960864801650304020205000430' },
  RSASSA_PKCS1_V1_5_SHA_512: { hash: 'sha512', bytes: 64, prefix: '3051300d060960864801650304020305000440' },
};

export const publicKeyOf = (key: StoredKey): Json => ({
  KeyId: key.arn,
  PublicKey: createPublicKey(key.material).export({ type: 'spki', format: 'der' }).toString('base64'),
  KeySpec: key.spec,
  CustomerMasterKeySpec: key.spec,
  KeyUsage: key.usage,
  SigningAlgorithms: Object.keys(digestInfo),
});

export const signRsa = async (key: StoredKey, input: Json): Promise<Json> => {
  const { algorithm, message, digest, privateKey } = prepare(key, input);
  const signature = digest
    ? privateEncrypt(
        { key: privateKey, padding: constants.RSA_PKCS1_PADDING },
        Buffer.concat([Buffer.from(algorithm.prefix, 'hex'), digest]),
      )
    : await signAsync(algorithm.hash, message, privateKey);
  return { KeyId: key.arn, Signature: signature.toString('base64'), SigningAlgorithm: input.SigningAlgorithm };
};

export const verifyRsa = async (key: StoredKey, input: Json): Promise<Json> => {
  const signature = Buffer.from(text(input, 'Signature'), 'base64');
  const { algorithm, message, digest, privateKey } = prepare(key, input);
  // PKCS #1 v1.5 is deterministic, so a digest is verified by signing it again.
  const valid = digest
    ? signature.toString('base64') === (await signRsa(key, input)).Signature
    : verify(algorithm.hash, message, createPublicKey(privateKey), signature);
  if (!valid) throw new AwsError('KMSInvalidSignatureException', 'The signature is not valid');
  return { KeyId: key.arn, SignatureValid: true, SigningAlgorithm: input.SigningAlgorithm };
};

const privateKeys = new Map<string, KeyObject>();

const prepare = (key: StoredKey, input: Json) => {
  const name = text(input, 'SigningAlgorithm');
  const algorithm = digestInfo[name];
  if (!algorithm) throw new AwsError('ValidationException', `the local KMS does not support the signing algorithm ${name}`);
  const message = Buffer.from(text(input, 'Message'), 'base64');
  if (message.length > 4_096) throw new AwsError('ValidationException', 'Message must have at most 4096 bytes');
  const digest = input.MessageType === 'DIGEST' ? message : undefined;
  if (digest && digest.length !== algorithm.bytes)
    throw new AwsError('ValidationException', 'Digest is invalid length for algorithm');
  const privateKey = privateKeys.get(key.material) ?? createPrivateKey(key.material);
  privateKeys.set(key.material, privateKey);
  return { algorithm, message, digest, privateKey };
};

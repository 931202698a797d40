/** A signing key for tests, and access tokens that functions with its public key accept. */
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** The response of KMS to GetPublicKey. */
export const publicKeyText = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

export const signText = (text: Buffer): string => createSign('sha256').update(text).sign(privateKey, 'base64');

/** The issuer of the tokens: PUBLIC_URL of the functions. */
export const tokenIssuer = 'https://api.example.com';

export const tokenFor = (userId: string, sessionId: string, nowSeconds: number): string => {
  const { n, e } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  const claims = {
    ...{ sub: userId, sid: sessionId, email: 'ada@example.com', name: 'Ada', organizations: [], jti: 'x' },
    ...{ iat: nowSeconds, exp: nowSeconds + 3_600, iss: tokenIssuer, aud: 'backup-management-service' },
  };
  const text = [{ alg: 'RS256', typ: 'at+jwt', kid }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
};

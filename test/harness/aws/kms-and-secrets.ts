/** KMS and Secrets Manager for tests without a stage: real keys, real signatures, no policy. */
import { constants, generateKeyPairSync, type KeyObject, privateEncrypt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** RFC 8017, 9.2: the PKCS #1 v1.5 prefix of a SHA-256 digest. */
const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Points the SDK at a server with these keys and this secret. It records every call. */
export const startAws = async (keys: Readonly<Record<string, { publicKey: KeyObject; privateKey: KeyObject }>>, secret = '') => {
  const calls: string[] = [];
  const answers: Record<string, (input: Record<string, string>) => object> = {
    GetPublicKey: ({ KeyId }) => ({
      PublicKey: keys[KeyId!]!.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    }),
    Sign: ({ KeyId, Message }) => ({
      Signature: privateEncrypt(
        { key: keys[KeyId!]!.privateKey, padding: constants.RSA_PKCS1_PADDING },
        Buffer.concat([digestInfo, Buffer.from(Message!, 'base64')]),
      ).toString('base64'),
    }),
    GetSecretValue: () => ({ SecretString: secret }),
  };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const action = String(request.headers['x-amz-target']).split('.')[1]!;
    calls.push(action);
    response.setHeader('content-type', 'application/x-amz-json-1.1').end(JSON.stringify(answers[action]!(JSON.parse(body))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'TEST',
    AWS_SECRET_ACCESS_KEY: 'TEST',
  });
  return { calls };
};

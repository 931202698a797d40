/** Forged access tokens, signed with the stage's own key. */
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { stageUrl, stageVariable } from './client.ts';
import { keyId } from './stage-files.ts';

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
export const headerOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

/** A copy of a valid token with some claims and headers changed, correctly signed. */
export const forge = async (token: string, claims: object, header: object = {}): Promise<string> => {
  const text = `${encode({ ...headerOf(token), ...header })}.${encode({ ...claimsOf(token), ...claims })}`;
  const kms = new KMSClient({
    endpoint: stageVariable('STAGE_AWS_URL'),
    region: stageVariable('STAGE_REGION'),
    credentials: { accessKeyId: stageVariable('STAGE_AWS_KEY'), secretAccessKey: 'local' },
  });
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId: keyId('SIGN_VERIFY'),
      Message: Buffer.from(text),
      MessageType: 'RAW',
      SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
    }),
  );
  kms.destroy();
  return `${text}.${Buffer.from(Signature!).toString('base64url')}`;
};

/** The public keys the stage publishes. */
export const publishedKeys = async (): Promise<readonly Record<string, string>[]> => {
  const answer = await fetch(`${stageUrl()}/.well-known/jwks.json`);
  return ((await answer.json()) as { keys: Record<string, string>[] }).keys;
};

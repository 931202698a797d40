/** Access tokens as an attacker would like them, signed by the stage's own key: what no client can make. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { stageUrl, stageVariable } from './client.ts';

const signingKeyId = (): string => {
  const lines = readFileSync(join(stageVariable('STAGE_DIR'), 'kms', 'keys.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const keys = lines.map((line) => (JSON.parse(line) as { value: { id: string; usage: string } }).value);
  const key = keys.find(({ usage }) => usage === 'SIGN_VERIFY');
  if (!key) throw new Error('the stage has no signing key');
  return key.id;
};

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
export const headerOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

/** A copy of a good token with some claims and headers changed, rightly signed. */
export const forge = async (token: string, claims: object, header: object = {}): Promise<string> => {
  const text = `${encode({ ...headerOf(token), ...header })}.${encode({ ...claimsOf(token), ...claims })}`;
  const kms = new KMSClient({
    endpoint: stageVariable('STAGE_AWS_URL'),
    region: stageVariable('STAGE_REGION'),
    credentials: { accessKeyId: stageVariable('STAGE_AWS_KEY'), secretAccessKey: 'local' },
  });
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId: signingKeyId(),
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

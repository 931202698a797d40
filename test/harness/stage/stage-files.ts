/** Files of the stage's engines: values that a template would contain and a client never sees. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stageVariable } from './client.ts';

const lines = (...path: string[]): readonly Record<string, unknown>[] =>
  readFileSync(join(stageVariable('STAGE_DIR'), ...path), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { value: Record<string, unknown> }).value);

/** The id of the first KMS key for this usage. The key of evidence, the only one of 3072 bits, is left out: the others sign tokens. */
export const keyId = (usage: 'SIGN_VERIFY' | 'ENCRYPT_DECRYPT'): string => {
  const key = lines('kms', 'keys.jsonl').find((each) => each.usage === usage && each.spec !== 'RSA_3072');
  if (!key) throw new Error(`the stage has no key to ${usage}`);
  return String(key.id);
};

/** The current value of the secret whose name contains this text. */
export const secret = (name: string): { readonly arn: string; readonly value: string } => {
  const found = lines('secrets', 'secrets.jsonl').findLast((each) => String(each.name).includes(name));
  if (!found) throw new Error(`the stage has no secret ${name}`);
  return { arn: String(found.arn), value: (found.current as { value: string }).value };
};

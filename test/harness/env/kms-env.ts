/** KMS and a table in memory behind the SDK, for the keys that wrap the data keys of backups. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsError } from '../../../infra/local/base/aws-service.ts';
import { openKmsEngine } from '../../../infra/local/engines/kms/kms-engine.ts';
import { Fault, type Input, type Script, scriptAws } from '../aws/scripted-aws.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';

const region = 'eu-central-1';
const account = '111122223333';
export const arnOf = (name: string): string => `arn:aws:kms:${region}:${account}:key/${name}`;

export const startKeys = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'keys-'));
  const kms = openKmsEngine({ dir, region, account });
  for (const name of ['data', 'secrets', 'later'])
    await kms.provision({ logicalId: name, type: 'AWS::KMS::Key', name, arn: arnOf(name), properties: {} });
  const table = new InMemoryTable();
  const call = (action: string) => (input: Input) => {
    try {
      return (kms.call({ action, input }) ?? {}) as object;
    } catch (error) {
      if (error instanceof AwsError) return new Fault(error.code, error.status, { message: error.message });
      throw error;
    }
  };
  const actions = ['Encrypt', 'Decrypt', 'GenerateDataKey'];
  const script: Script = { ...table.script, ...Object.fromEntries(actions.map((action) => [action, call(action)])) };
  const aws = await scriptAws(script);
  Object.assign(process.env, { DATA_KEY_ID: arnOf('data'), SECRETS_KEY_ID: arnOf('secrets'), PLAN: 'enterprise' });
  return {
    table,
    aws,
    script,
    /** Operator actions: DisableKey, EnableKey, ScheduleKeyDeletion, CancelKeyDeletion. */
    operate: (action: string, name: string) => call(action)({ KeyId: arnOf(name) }),
    stop: () => {
      aws.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

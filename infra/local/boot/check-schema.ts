import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { schemaRefusal } from '../../../shared/contract/schema-refusal.ts';
import { readSchema } from '../../preflight/schema-check.ts';
import { StartError } from '../base/settings.ts';
import { region, rootAccessKeyId } from '../base/types.ts';

/** Refuses a folder whose table a later release has written, as the preflight of a deployment does. */
export const checkStageSchema = async (endpoint: string, tableName: string): Promise<void> => {
  const client = new DynamoDBClient({
    endpoint,
    region,
    credentials: { accessKeyId: rootAccessKeyId, secretAccessKey: 'local' },
  });
  try {
    const refusal = schemaRefusal(await readSchema(client, tableName));
    if (refusal) throw new StartError(`${refusal}. Or set LOCAL_DIR to another folder`);
  } finally {
    client.destroy();
  }
};

import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { schemaVersion } from '../../../../shared/contract/version.ts';
import { isSchemaKnown, raiseSchema } from '../../../../shared/platform/index.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const aws = await scriptAws();
process.env.SERVICE_VERSION = '2.0.0';
afterAll(aws.stop);
let table: InMemoryTable;
beforeEach(() => {
  table = new InMemoryTable();
  aws.play(table.script);
});
const key = { pk: 'SCHEMA', sk: 'SCHEMA' };

test('raiseSchema: it is noted once, replaces an earlier one, and never a later one', async () => {
  equal(await isSchemaKnown(), true);
  equal(await raiseSchema(), true);
  deepEqual(table.get(key), { ...key, version: schemaVersion, release: '2.0.0' });
  equal(await raiseSchema(), false);
  table.put({ ...key, version: schemaVersion - 1, release: '1.0.0' });
  equal(await raiseSchema(), true);
  equal(await isSchemaKnown(), true);
  const later = { ...key, version: schemaVersion + 1, release: '9.0.0' };
  table.put(later);
  equal(await raiseSchema(), false);
  deepEqual(table.get(key), later);
  equal(await isSchemaKnown(), false);
});

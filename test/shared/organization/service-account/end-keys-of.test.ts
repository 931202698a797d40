import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { lookup, organizationKey, readServiceAccountKey } from '../../../../shared/organization/index.ts';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { type ScriptedAws, scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const aws: ScriptedAws = await scriptAws();
afterAll(() => aws.stop());

test('readServiceAccountKey: the fingerprints of an older account, which has none, come from the item of its key', async () => {
  const table = new InMemoryTable();
  aws.play({ ...table.script });
  const [tenant, id] = [unsafeTenant(newId('organization'), 'record'), newId('serviceAccount')];
  equal(await readServiceAccountKey(tenant), undefined);
  table.put({ ...organizationKey.serviceAccount(tenant), id });
  table.put({ ...lookup.apiKey(id), fingerprint: 'older' });
  equal((await readServiceAccountKey(tenant))?.key.fingerprint, 'older');
  table.put({ ...organizationKey.serviceAccount(tenant), id, key: { fingerprint: 'own' } });
  deepEqual((await readServiceAccountKey(tenant))?.key, { fingerprint: 'own' });
});

import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { findBackup, findRecord, findRecordId } from '../../../../infra/cli/context/find-resource.ts';
import type { Client } from '../../../../shared/client/index.ts';

const good = { trigger: 'manual', expiresAt: null, verification: null };
const clientOf = (backups: readonly object[]): Client => ({ list: () => backups }) as unknown as Client;

const notLatest = [
  { ...good, id: 'point', trigger: 'pitr-base', expiresAt: '2026-03-09T00:00:00Z' },
  { ...good, id: 'safety', trigger: 'safety' },
  { ...good, id: 'partial', partial: true },
  { ...good, id: 'foreign', trigger: 'import', foreign: true },
  { ...good, id: 'damaged', verification: { status: 'failed' } },
];

test('latest: neither a backup that a restore made, nor one of another database, nor a damaged one', async () => {
  equal((await findBackup(clientOf([...notLatest, { ...good, id: 'own' }]), 'latest')).id, 'own');
  await rejects(findBackup(clientOf(notLatest), 'latest'), /there is no completed backup other than .*, such as point$/);
  await rejects(findBackup(clientOf([]), 'latest'), /there is no completed backup$/);
});

test('latest: a base of captures and a backup that expires may be it', async () => {
  for (const backup of [
    { ...good, id: 'base', trigger: 'pitr-base' },
    { ...good, id: 'expiring', expiresAt: '2026-04-01T00:00:00Z' },
  ])
    equal((await findBackup(clientOf([backup, { ...good, id: 'older' }]), 'latest')).id, backup.id);
});

test('records: an id is read, a name is looked up in the list, and a webhook is read in any case', async () => {
  const calls: unknown[] = [];
  const id = (prefix: string): string => `${prefix}_01JZ8Q4V0M6T3X9C2B7N5K1HRD`;
  const client = {
    list: (route: string) => {
      calls.push(route);
      return [{ id: 'found', name: 'Shop', sourceProjectId: 'my-shop' }];
    },
    request: async (route: string, { params }: { readonly params: object }) => calls.push({ route, ...params }),
  } as unknown as Client;
  await findRecord(client, 'project', id('prj'));
  equal((await findRecord(client, 'project', 'my-s')).id, 'found');
  await findRecord(client, 'webhook', 'shop');
  equal(await findRecordId(client, 'webhook', id('whk')), id('whk'));
  equal(await findRecordId(client, 'storage', undefined), undefined);
  deepEqual(calls, [
    { route: 'GET /projects/{projectId}', projectId: id('prj') },
    'GET /projects',
    'GET /webhooks',
    { route: 'GET /webhooks/{webhookId}', webhookId: 'found' },
  ]);
  await rejects(findRecord(client, 'alert', 'none'), /there is no alert named "none"/);
});

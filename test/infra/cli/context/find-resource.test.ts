import { equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { findBackup } from '../../../../infra/cli/context/find-resource.ts';
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

/** `bms archive config`: what surrounded the documents, from the bucket and the key alone, and what differs in another backup. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import type { Manifest } from '../../../shared/archive/index.ts';
import type { Configuration } from '../../../shared/contract/models/configuration.ts';
import { passphrase, sampleBackup, writeObjects } from '../../harness/builders/sample-archive-folder.ts';
import { runArchive } from '../../harness/env/run-archive-command.ts';

const scratch = mkdtempSync(join(tmpdir(), 'archive-config-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const env = { ARCHIVE_PASSPHRASE: passphrase };
const at = (backup: string): string => join(scratch, backup);

const captured = { state: 'captured', reason: null } as const;
const up = (fieldPath: string) => ({ fieldPath, order: 'ASCENDING' });
const index = { collectionGroup: 'users', queryScope: 'COLLECTION', fields: [up('age'), up('name')] };
const rules = (content: string) => [
  { release: 'cloud.firestore', updatedAt: null, files: [{ name: 'firestore.rules', content }] },
];
const before: Configuration = {
  capturedAt: '2026-01-01T00:00:00.000Z',
  settings: { state: 'permission_missing', reason: 'denied\u001b[31m', value: null },
  indexes: { ...captured, items: [index] },
  fields: { ...captured, items: [{ collectionGroup: 'users', fieldPath: 'expiresAt', indexes: [], ttl: true }] },
  rules: { ...captured, items: rules('one\ntwo') },
};
const later: Configuration = {
  ...before,
  capturedAt: '2026-01-02T00:00:00.000Z',
  indexes: { ...captured, items: [] },
  rules: { ...captured, items: rules('three') },
};

beforeAll(async () => {
  for (const [backup, configuration] of Object.entries({ bkp_before: before, bkp_later: later, bkp_none: undefined })) {
    const notes = JSON.parse(JSON.stringify({ writtenBy: 'test', configuration })) as Manifest['notes'];
    const { objects } = await sampleBackup(undefined, undefined, { backup, documents: [], notes });
    writeObjects(at(backup), objects);
  }
});

test('archive config: shows each part, says why one was not captured, and escapes what a terminal would run', async () => {
  const { code, out, err } = await runArchive(['config', at('bkp_before')], env);
  equal(code, 0, err);
  equal(err, 'bkp_before of projects/p/databases/(default): captured 2026-01-01T00:00:00.000Z\n');
  deepEqual(out.split('\n'), [
    '',
    'settings: not captured, denied\\u001b[31m',
    '',
    'composite indexes (1)',
    '  users (COLLECTION): age ASCENDING, name ASCENDING',
    '',
    'fields with settings of their own (1)',
    '  users.expiresAt: not indexed; TTL policy',
    '',
    'security rules (1)',
    '  cloud.firestore: firestore.rules (2 lines)',
    '',
  ]);
});

test('archive config --json: the same value as the API gives, with the text of the rules', async () => {
  const { out } = await runArchive(['config', at('bkp_before'), '--json'], env);
  deepEqual(JSON.parse(out), { backupId: 'bkp_before', configuration: before });
  const none = await runArchive(['config', at('bkp_none'), '--json'], env);
  deepEqual(JSON.parse(none.out), { backupId: 'bkp_none', configuration: null });
});

test('archive config: what another backup lacks or has changed, and what is not known of both', async () => {
  const { code, out, err } = await runArchive(['config', at('bkp_before'), at('bkp_later')], env);
  equal(code, 0, err);
  deepEqual(out.split('\n'), ['- index users: age ascending, name ascending', '~ rules cloud.firestore', '']);
  equal(err, 'not compared, because one side does not know them: settings\n2 differences, 2 equal\n');
  const { differences, ...diff } = JSON.parse(
    (await runArchive(['config', at('bkp_before'), at('bkp_later'), '--json'], env)).out,
  );
  deepEqual(diff, {
    backupId: 'bkp_before',
    against: 'bkp_later',
    capturedAt: { backup: before.capturedAt, against: later.capturedAt },
    withoutConfiguration: [],
    unknown: ['settings'],
    equal: 2,
  });
  deepEqual(
    differences.map(({ kind, change, before: was, after }: Record<string, unknown>) => [kind, change, was, after]),
    [
      ['index', 'removed', 'exists', null],
      ['rules', 'changed', 'one\ntwo', 'three'],
    ],
  );
});

test('archive config: a backup without a configuration is said to have none, and nothing is compared', async () => {
  const shown = await runArchive(['config', at('bkp_none')], env);
  deepEqual(shown, { code: 0, out: '', err: 'bkp_none holds no configuration\n' });
  const compared = await runArchive(['config', at('bkp_none'), at('bkp_later')], env);
  deepEqual([compared.code, compared.out], [0, '']);
  match(compared.err, /^bkp_none holds no configuration: nothing was compared\n/);
});

test('archive config: without the key nothing is shown', async () => {
  const { code, out, err } = await runArchive(['config', at('bkp_before')], { ARCHIVE_PASSPHRASE: 'wrong' });
  deepEqual([code, out], [2, ''], err);
});

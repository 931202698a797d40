import { deepEqual, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { findDocumentAt } from '../../../../infra/cli/context/find-document-at.ts';
import type { Client } from '../../../../shared/client/index.ts';

const whole = { trigger: 'manual', collections: ['*'], excludedCollections: [] };
const signal = new AbortController().signal;

/** A client of these backups, newest first; each holds users/ada. */
const clientOf = (backups: readonly object[]): Client =>
  ({
    list: () => backups,
    page: async (_: string, { params }: { readonly params: { readonly backupId: string } }) => ({
      data: [{ type: 'document', path: 'users/ada', fields: { in: { stringValue: params.backupId } }, updateTime: '2026-01-01' }],
    }),
  }) as unknown as Client;

test('document at a moment: backups that were not asked for its collection say nothing about it', async () => {
  const client = clientOf([
    { ...whole, id: 'other', readTime: '2026-03-05T00:00:00Z', collections: ['orders', 'users-old'] },
    { ...whole, id: 'excluded', readTime: '2026-03-04T00:00:00Z', excludedCollections: ['users'] },
    { ...whole, id: 'safety', readTime: '2026-03-03T00:00:00Z', trigger: 'safety' },
    { ...whole, id: 'partial', readTime: '2026-03-02T00:00:00Z', partial: true },
    { ...whole, id: 'foreign', readTime: '2026-03-01T12:00:00Z', trigger: 'import', foreign: true },
    { ...whole, id: 'users', readTime: '2026-03-01T00:00:00Z', collections: ['users'] },
  ]);
  const at = '2026-04-01T00:00:00Z';
  const { backupId, exact } = await findDocumentAt(client, { projectId: 'p', path: 'users/ada', at, signal });
  deepEqual([backupId, exact], ['users', false]);
  const before = findDocumentAt(client, { projectId: 'p', path: 'users/ada', at: '2026-02-01T00:00:00Z', signal });
  await before.then(({ backupId: later, exact: isExact }) => deepEqual([later, isExact], ['users', true]));
  await rejects(
    findDocumentAt(client, { projectId: 'p', path: 'other/x', at: '2025-01-01T00:00:00Z', signal }),
    /no completed backup/,
  );
});

test('document at a moment: the path of a collection is refused', async () => {
  const client = clientOf([{ ...whole, id: 'all', readTime: '2026-03-01T00:00:00Z' }]);
  const question = { projectId: 'p', path: 'users', at: '2026-04-01T00:00:00Z', signal };
  await rejects(findDocumentAt(client, question), /"users" is not the path of a document/);
});

/** What a backup in a bucket has, and whether every byte of it is right. */
import { deepEqual, equal } from 'node:assert/strict';
import { recordKind, storedObjects, streamLeaves } from '../../../../shared/archive/index.ts';

import { type BackupRecord, openArchive } from '../../../../shared/stored-backup/index.ts';
import { documentsRoot } from '../../firestore/write-documents.ts';
import type { CaptureEnv } from '../capture-env.ts';
import { runVerification } from '../run-verification.ts';

/** Bytes by path, in order. */
export const documentsIn = async (t: CaptureEnv, backup: BackupRecord): Promise<readonly (readonly [string, string])[]> => {
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  const found: [string, string][] = [];
  const root = documentsRoot(t.sourceProjectId).length + 1;
  for await (const { segment, leaf } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      if (leaf.kind(slot) === recordKind.document)
        found.push([leaf.name(slot).toString().slice(root), leaf.content(slot).toString('hex')]);
  open.close();
  return found.sort();
};

/** Every byte is where the index and the manifest say, and nothing else is in the folder. */
export const assertVerified = async (t: CaptureEnv, backup: BackupRecord): Promise<void> => {
  const { status, findings } = await runVerification(t, backup.id, 'full');
  equal(status, 'passed', JSON.stringify(findings));
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  const own = storedObjects(open.archive.manifest)
    .filter((one) => one.backup === backup.archive.backup)
    .map(({ name }) => name);
  const stored = [...t.folder(backup.path).objects.keys()].filter((name) => name !== 'key' && name !== 'manifest');
  deepEqual(stored.sort(), own.sort());
  open.close();
};

/** If it is unknown which users a restore imported, only those that are as it would have left them are undone. */
import { deepEqual } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import type { RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { createUsersEnv, withoutPassword, withPassword } from '../../../harness/env/restore/restore-users-env.ts';
import type { RestoreInput } from '../../../harness/env/restore-env.ts';

const t = await createUsersEnv();

beforeEach(() => {
  t.reset();
});

type Users = Parameters<typeof t.putUsers>[1];

/** A restore whose target others change between the check and the writes. */
const overtaken = async (ask: RestoreInput, theirs: Users): Promise<RestoreRecord> => {
  await t.put({ 'a/1': { n: { integerValue: 1n } } });
  const backup = await t.takeBackup({ includeAuthUsers: true });
  const id = await t.startRestore(backup, { includeAuthUsers: true, ...ask });
  await t.runRestore(id, { upTo: 'seal' });
  t.putUsers('target', theirs);
  await t.runRestore(id);
  return t.restoreOf(id);
};
const undo = async ({ id }: RestoreRecord): Promise<RestoreRecord> => {
  const by = { encryption: { mode: 'kms', keyId: 'key' } as const, createdBy: { type: 'user', id: newId('user') } };
  const { restore, change } = await undoRestore(t.tenant, { restore: t.restoreOf(id), caller: by, now: t.clock.now() });
  await commit(change.writes);
  return t.runRestore(restore.id);
};

test('undo: a user who signed up meanwhile stays; an imported one is deleted, even after signing in', async () => {
  t.putUsers('source', [withoutPassword('ada'), withPassword('bob'), withPassword('eve')]);
  const ada = withoutPassword('ada', { displayName: 'Another person', createdAt: '1700000001000' });
  const done = await overtaken({ mergeMode: 'skip_existing' }, [ada]);
  deepEqual([done.status, done.users?.skipped, done.racedUsers], ['completed', 1, 1]);
  t.putUsers('target', [withPassword('bob', { lastLoginAt: '1800000000000' })]);
  const undone = await undo(done);
  deepEqual([undone.status, undone.users], ['completed', { restored: 0, deleted: 2, skipped: 1, failed: 0 }]);
  deepEqual(t.usersOf('target'), [ada]);
});

test('undo: a replaced user is restored unless the account or its password was changed since', async () => {
  const ids = ['ada', 'bob', 'eve', 'fay'];
  t.putUsers('source', [...ids.map((id) => withPassword(id)), withoutPassword('new')]);
  const before = ids.map((id) => withPassword(id, { passwordHash: 'YmVmb3Jl', displayName: 'Before' }));
  t.putUsers('target', before);
  // The target rejects the whole batch of an invalid user, so it is unknown which were imported.
  t.outcomeOf = ({ verb, body }) => {
    const users = verb === 'batchCreate' ? (body.users as { localId: string; displayName?: string }[]) : [];
    return users.some(({ localId }) => localId === 'new') ? { status: 400, message: 'INVALID' } : undefined;
  };
  const done = await overtaken({}, []);
  t.outcomeOf = () => undefined;
  deepEqual(done.status, 'failed');
  const bob = withPassword('bob', { displayName: 'Since' });
  const eve = withPassword('eve', { passwordHash: 'c2luY2U=' });
  t.putUsers('target', [withPassword('ada'), bob, eve]);
  const undone = await undo(done);
  deepEqual(undone.status, 'completed');
  deepEqual(
    t.usersOf('target').map(({ localId, displayName, passwordHash }) => [localId, displayName, passwordHash]),
    [
      ['ada', 'Before', 'YmVmb3Jl'],
      ['bob', 'Since', bob.passwordHash],
      ['eve', undefined, 'c2luY2U='],
      ['fay', 'Before', 'YmVmb3Jl'],
    ],
  );
  deepEqual(undone.users?.skipped, 2);
});

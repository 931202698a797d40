import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, test } from 'vitest';
import { commit } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { planUsers } from '../../../../shared/restore/dry-run/plan-users.ts';
import { failRestore } from '../../../../shared/restore/end/fail-restore.ts';
import type { RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { openArchive } from '../../../../shared/stored-backup/index.ts';
import { createUsersEnv, withoutPassword, withPassword } from '../../../harness/env/restore/restore-users-env.ts';
import { firstRestoreStep, type RestoreInput } from '../../../harness/env/restore-env.ts';

const t = await createUsersEnv();

beforeEach(() => {
  t.reset();
  t.server.faults.clear();
});

const backUp = async () => {
  await t.put({ 'a/1': { n: { integerValue: 1n } } });
  return t.takeBackup({ includeAuthUsers: true });
};
const restore = (backup: Parameters<typeof t.restore>[0], ask: RestoreInput = {}): Promise<RestoreRecord> =>
  t.restore(backup, { includeAuthUsers: true, ...ask });
const undo = ({ id, safetyBackupId, targetProjectId }: RestoreRecord): Promise<RestoreRecord> =>
  restore(t.backupOf(safetyBackupId!), { targetProjectId, mergeMode: 'rollback', undoOf: id });
const ended = ({ status, users, error }: RestoreRecord) => [status, users, error?.message];
const counts = (
  restored: number,
  {
    deleted = 0,
    skipped = 0,
    failed = 0,
  }: { readonly deleted?: number | undefined; readonly skipped?: number | undefined; readonly failed?: number | undefined } = {},
) => ({ restored, deleted, skipped, failed });
const sent = (verb: string) => t.calls.filter((call) => call.verb === verb);

test('users: deleted users are restored as they were, with the hash and salt of their passwords', async () => {
  const users = [withPassword('ada'), withoutPassword('bob'), withPassword('eve', { disabled: true })];
  t.putUsers('source', users);
  const backup = await backUp();
  t.removeUsers('source', ['ada', 'bob', 'eve']);
  deepEqual(ended(await restore(backup, { targetProjectId: t.projectId })), ['completed', counts(3), undefined]);
  deepEqual(t.usersOf('source'), users);
});

test('users: users of another project are imported with the hash configuration of their passwords', async () => {
  const users = [withPassword('ada'), withoutPassword('bob')];
  t.putUsers('source', users);
  deepEqual(ended(await restore(await backUp())), ['completed', counts(2), undefined]);
  deepEqual(t.usersOf('target'), users);
  const config = await fetch(`${t.server.url}/admin/v2/projects/${t.sourceProjectId}/config`);
  const { signerKey } = ((await config.json()) as { signIn: { hashConfig: { signerKey: string } } }).signIn.hashConfig;
  const last = sent('batchCreate').at(-1)!;
  deepEqual(
    [last.project, last.body.hashAlgorithm, Buffer.from(String(last.body.signerKey), 'base64url').toString('base64')],
    [t.targetProjectId, 'SCRYPT', signerKey],
  );
});

for (const mergeMode of ['overwrite', 'merge', 'rollback'] as const)
  test(`users: ${mergeMode} replaces users who differ, and leaves equal ones and those that only the target has`, async () => {
    const [ada, bob] = [withPassword('ada'), withoutPassword('bob')];
    t.putUsers('source', [ada, bob, withPassword('same')]);
    const backup = await backUp();
    const before = [
      withPassword('ada', { passwordHash: 'b3RoZXI=', displayName: 'changed' }),
      withPassword('same'),
      withPassword('theirs'),
    ];
    t.putUsers('target', before);
    const done = await restore(backup, { mergeMode });
    deepEqual(ended(done), ['completed', counts(3), undefined]);
    deepEqual(t.usersOf('target'), [ada, bob, withPassword('same'), withPassword('theirs')]);
    deepEqual(
      (sent('batchCreate').at(-1)!.body.users as { localId: string }[]).map(({ localId }) => localId),
      ['ada', 'bob'],
    );

    const saved = await t.journalOf(done.id);
    deepEqual(JSON.parse(saved.get('accounts/ada')!.content), before[0]);
    equal(saved.get('accounts/bob')?.kind, 'tombstone');
    equal(saved.has('accounts/same'), false);
    equal(t.backupOf(done.safetyBackupId!).authUsers, 1);

    const undone = await undo(done);
    deepEqual(ended(undone), ['completed', counts(1, { deleted: 1 }), undefined]);
    deepEqual(t.usersOf('target'), before);

    deepEqual(ended(await undo(undone)), ['completed', counts(2), undefined]);
    deepEqual(t.usersOf('target'), [ada, bob, withPassword('same'), withPassword('theirs')]);
  });

test('users: skip_existing keeps existing users, and those who sign up while it runs', async () => {
  t.putUsers('source', [withPassword('ada'), withPassword('bob'), withPassword('eve')]);
  const backup = await backUp();
  const [theirs, late] = [withPassword('ada', { displayName: 'theirs' }), withPassword('bob', { createdAt: '1800000000000' })];
  t.putUsers('target', [theirs]);
  const id = await t.startRestore(backup, { includeAuthUsers: true, mergeMode: 'skip_existing' });
  const done = await t.runRestore(id, { onStep: (step) => step === 'write' && t.putUsers('target', [late]) });
  deepEqual(ended(done), ['completed', counts(1, { deleted: 0, skipped: 2 }), undefined]);
  deepEqual(t.usersOf('target'), [theirs, late, withPassword('eve')]);
  equal(
    sent('batchCreate').some(({ body }) => body.allowOverwrite === true),
    false,
  );
});

test('users: with skip_existing, imported users whose response was lost are recognized', async () => {
  t.putUsers('source', [withPassword('ada'), withoutPassword('bob')]);
  const backup = await backUp();
  let isLost = false;
  t.outcomeOf = ({ verb, body }) => {
    if (verb !== 'batchCreate' || (body.users as unknown[]).length === 0 || isLost) return undefined;
    isLost = true;
    return 'lost';
  };
  deepEqual(ended(await restore(backup, { mergeMode: 'skip_existing' })), ['completed', counts(2), undefined]);
  equal(isLost, true);
});

test('users: a user that the service rejects fails alone, by name', async () => {
  const good = [withPassword('ada'), withoutPassword('zoe')];
  t.putUsers('source', [...good, withPassword('bad', { customAttributes: 'no json' })]);
  const done = await restore(await backUp());
  deepEqual(ended(done), [
    'failed',
    counts(2, { deleted: 0, skipped: 0, failed: 1 }),
    '1 of 3 users could not be written; the list of failures names them',
  ]);
  deepEqual(done.failures, [{ path: 'accounts/bad', code: 'INVALID_ARGUMENT', message: 'Invalid custom claims provided.' }]);
  deepEqual([done.error?.code, done.written, done.failed], ['COUNT_MISMATCH', 1, 0]);
  deepEqual(t.usersOf('target'), good);
});

test('users: without the hash configuration, users with a password fail and others are restored', async () => {
  t.putUsers('source', [withPassword('ada'), withoutPassword('bob')]);
  const backup = await backUp();
  t.server.faults.revoke(t.sourceProjectId);
  const done = await restore(backup);
  deepEqual(ended(done), [
    'failed',
    counts(1, { deleted: 0, skipped: 0, failed: 1 }),
    '1 of 2 users could not be written; the list of failures names them',
  ]);
  deepEqual(
    done.failures.map(({ path, code }) => [path, code]),
    [['accounts/ada', 'FAILED_PRECONDITION']],
  );
  deepEqual(t.usersOf('target'), [withoutPassword('bob')]);
});

test('users: a user whose e-mail address another one has taken fails alone', async () => {
  t.putUsers('source', [withPassword('ada'), withoutPassword('bob', { phoneNumber: '+441234567890' }), withPassword('eve')]);
  const backup = await backUp();
  const again = withPassword('ada-again', { email: 'ada@example.com' });
  t.putUsers('target', [again, withoutPassword('bob-again', { phoneNumber: '+441234567890' })]);
  const done = await restore(backup);
  deepEqual(ended(done).slice(0, 2), ['failed', counts(1, { deleted: 0, skipped: 0, failed: 2 })]);
  deepEqual(done.failures, [
    {
      path: 'accounts/ada',
      code: 'ALREADY_EXISTS',
      message: 'Its e-mail address belongs to another user of the target by now: ada-again',
    },
    {
      path: 'accounts/bob',
      code: 'ALREADY_EXISTS',
      message: 'Its phone number belongs to another user of the target by now: bob-again',
    },
  ]);
});

test('users: once the conflict of a user is resolved, the restore is resumed to its end', async () => {
  const users = [withPassword('ada'), withPassword('eve')];
  t.putUsers('source', users);
  const backup = await backUp();
  t.putUsers('target', [withPassword('ada-again', { email: 'ada@example.com' })]);
  const { id, safetyBackupId } = await restore(backup, { mergeMode: 'skip_existing' });
  equal(t.restoreOf(id).status, 'failed');
  t.removeUsers('target', ['ada-again']);
  const { change } = await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now());
  await commit(change.writes);
  const done = await t.runRestore(id);
  deepEqual(ended(done), ['completed', counts(2), undefined]);
  deepEqual([done.attempt, done.safetyBackupId, done.failures, t.usersOf('target')], [2, safetyBackupId, [], users]);
});

test('users: after a crash between two batches the next run continues, and each user counts once', async () => {
  const users = Array.from({ length: 2_300 }, (_, n) => withPassword(`u${String(n).padStart(5, '0')}`));
  t.putUsers('source', users);
  const backup = await backUp();
  const id = await t.startRestore(backup, { includeAuthUsers: true });
  const position = firstRestoreStep();
  const batches = () => sent('batchCreate').filter(({ body }) => (body.users as unknown[]).length > 0).length;
  await t.resumeRestore(id, position, { upTo: 'seal' });
  t.outcomeOf = () => (batches() === 2 ? 'lost' : undefined);
  t.isDead = () => batches() === 2;
  await t.resumeRestore(id, position).then(
    () => ok(false),
    (error) => match(error.message, /died/),
  );
  equal(t.shardsOf(id)[0]?.written, 1_000);
  Object.assign(t, { outcomeOf: () => undefined, isDead: () => false });
  await t.resumeRestore(id, position);
  deepEqual(ended(t.restoreOf(id)), ['completed', counts(2_300), undefined]);
  deepEqual(t.usersOf('target'), users);
  // The second batch was sent, but its response was lost.
  equal(batches(), 4);
});

test('users: a restore that fails while users are written releases its target afterwards', async () => {
  const users = [withPassword('ada')];
  t.putUsers('source', users);
  const id = await t.startRestore(await backUp(), { includeAuthUsers: true });
  const position = firstRestoreStep();
  await t.resumeRestore(id, position, { upTo: 'seal' });
  const [gate, begun] = [Promise.withResolvers<undefined>(), Promise.withResolvers<void>()];
  t.outcomeOf = ({ verb, body }) => {
    if (verb !== 'batchCreate' || (body.users as unknown[]).length === 0) return undefined;
    begun.resolve();
    return gate.promise;
  };
  const writing = t.resumeRestore(id, position, { upTo: 'write' }).catch(() => undefined);
  await begun.promise;
  let looks = 0;
  const reason = { code: 'INTERNAL_ERROR', message: 'x' } as const;
  await failRestore({
    tenant: t.tenant,
    restoreJobId: id,
    attempt: 1,
    reasonOf: () => reason,
    now: t.clock.now(),
    sleep: async (ms) => {
      await pause(ms);
      // The writer has noticed the end by then.
      if (++looks === 6) gate.resolve(undefined);
    },
  });
  deepEqual([t.restoreOf(id).status, looks >= 6, t.usersOf('target')], ['failed', true, users]);
  equal(t.table.get(projectKey.job(t.tenant, t.targetId)), undefined);
  await writing;
});

test('users: if the target does not show hashes or accept users, nothing is written', async () => {
  t.putUsers('source', [withPassword('ada')]);
  const backup = await backUp();
  t.putUsers('target', [withPassword('ada', { passwordHash: 'UkVEQUNURUQ=', salt: undefined })]);
  const hidden = await restore(backup);
  deepEqual([hidden.status, hidden.error?.code, hidden.phase], ['failed', 'TARGET_PERMISSION_DENIED', 'Validating']);
  match(hidden.error!.message, /getHashConfig/);

  t.removeUsers('target', ['ada']);
  t.outcomeOf = ({ verb }) => (verb === 'batchCreate' ? { status: 403, message: 'PERMISSION_DENIED' } : undefined);
  const refused = await restore(backup);
  deepEqual([refused.status, refused.error?.code, refused.phase], ['failed', 'TARGET_PERMISSION_DENIED', 'Validating']);
  equal(t.documentsIn().size, 0);
});

test('users: without a safety backup the journal has only their names', async () => {
  t.putUsers('source', [withPassword('ada')]);
  const backup = await backUp();
  t.putUsers('target', [withPassword('ada', { passwordHash: 'UkVEQUNURUQ=', salt: undefined })]);
  const id = await t.startRestore(backup, { includeAuthUsers: true, safetyBackup: false });
  await t.runRestore(id, { upTo: 'write' });
  equal((await t.journalOf(id)).get('accounts/ada')?.kind, 'tombstone');
  deepEqual(t.usersOf('target'), [withPassword('ada')]);
});

test('users: none is touched unless requested', async () => {
  t.putUsers('source', [withPassword('ada')]);
  const done = await restore(await backUp(), { includeAuthUsers: false });
  deepEqual([done.status, done.users, t.usersOf('target')], ['completed', undefined, []]);
});

test('users: a dry run counts users by lookup, and writes none', async () => {
  const users = Array.from({ length: 250 }, (_, n) => withPassword(`u${n}`));
  t.putUsers('source', users);
  const backup = await backUp();
  t.putUsers('target', users.slice(0, 120));
  const toolkit = t.deps.openToolkit(t.tenant, t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.targetId))!);
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  deepEqual(await planUsers(open.archive, { toolkit, mode: 'overwrite' }), { create: 130, overwrite: 120, skip: 0 });
  deepEqual(await planUsers(open.archive, { toolkit, mode: 'skip_existing' }), { create: 130, overwrite: 0, skip: 120 });
  equal(sent('lookup').length, 6);
  open.close();
  deepEqual(t.usersOf('target').length, 120);
});

test('users: no hash, salt or key is stored in the table, whatever fails', async () => {
  t.putUsers('source', [withPassword('ada'), withPassword('bad', { passwordHash: 'no base64 at all!' })]);
  const done = await restore(await backUp());
  equal(done.status, 'failed');
  const all = JSON.stringify([...t.table.items.values()]);
  for (const secret of [withPassword('ada').passwordHash!, withPassword('ada').salt!, 'no base64 at all!'])
    ok(!all.includes(secret));
});

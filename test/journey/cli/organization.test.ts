/** Members, invitations, the service account and the deletion of an organization by the command line. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { invitations } from '../../../shared/contract/endpoints/invitations.ts';
import { openBms } from '../../harness/env/run-bms.ts';
import { call, stageUrl } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';
import { contentsOf } from '../../harness/stage/restore.ts';
import { startSlowRestore } from '../../harness/stage/slow-restore.ts';
import { itemsOf } from '../../harness/stage/table.ts';

interface Shown {
  readonly id: string;
  readonly acceptUrl: string;
}

test('people are invited, get roles and are removed; the API key is created, rotated and removed', async () => {
  const { id: organization, owner } = await newOrganization();
  const bms = openBms({ BMS_URL: stageUrl(), BMS_TOKEN: owner.accessToken, BMS_ORGANIZATION: organization });
  const ends = async (code: number, expected: RegExp, ...args: readonly string[]): Promise<string> => {
    const { code: ended, out, err } = await bms.run(args);
    equal(ended, code, err);
    match(code === 0 ? out + err : err, expected);
    return out;
  };

  const guest = await signIn(newEmail('guest'));
  await ends(2, /<email>: must be an e-mail address/, 'invites', 'create', 'guest');
  await ends(2, /Allowed choices are viewer, member, admin/, 'invites', 'create', guest.email, '--role', 'owner');
  const first = await bms.json<Shown>('invites', 'create', guest.email, '--role', 'viewer');
  await ends(0, new RegExp(`${first.id} +${guest.email} +viewer`), 'invites');
  await ends(0, /Cancelled the invitation/, 'invites', 'cancel', guest.email);
  await ends(0, /No pending invitations/, 'invites', 'ls');
  await ends(4, /no pending invitation named/, 'invites', 'resend', guest.email);
  await bms.json<Shown>('invites', 'create', guest.email, '--role', 'viewer');
  const { acceptUrl } = await bms.json<Shown>('invites', 'resend', guest.email);
  const token = acceptUrl.split('/').at(-1) ?? '';
  equal((await call(invitations.accept, { token: guest.accessToken, params: { token } })).status, 200);

  await ends(0, new RegExp(`${guest.email} +viewer`), 'members');
  await ends(2, /Allowed choices are viewer, member, admin, owner/, 'members', 'role', guest.email, 'king');
  await ends(0, /is admin now/, 'members', 'role', guest.email, 'admin');
  await ends(2, /Add --yes to confirm/, 'members', 'role', guest.email, 'owner');
  await ends(1, /CANNOT_REMOVE_OWNER/, 'members', 'remove', owner.email, '--yes');
  await ends(2, /Add --yes to confirm/, 'members', 'remove', guest.email);
  await ends(0, /^Removed /, 'members', 'remove', guest.email, '--yes');
  await ends(4, /no member named/, 'members', 'remove', guest.email, '--yes');

  await ends(4, /SERVICE_ACCOUNT_NOT_FOUND/, 'service-account');
  await ends(
    2,
    /permissions: must be one of backups:read, [^;]*\(VALIDATION_ERROR/,
    'sa',
    'create',
    'CI',
    '--permissions',
    'all',
  );
  const scopes = 'projects:read,backups:read';
  const key = (await ends(0, /^fb_sa_\S+\n$/, 'service-account', 'create', 'CI', '--permissions', scopes, '--quiet')).trim();
  const renewed = (await ends(0, /^fb_sa_\S+\n$/, 'service-account', 'rotate', '--overlap-hours', '0', '--quiet')).trim();
  const keyRuns = await Promise.all(
    [key, renewed].map((apiKey) => bms.run(['projects'], { env: { BMS_API_KEY: apiKey, BMS_TOKEN: '' } })),
  );
  deepEqual(
    keyRuns.map(({ code }) => code),
    [3, 0],
  );
  const shown = await ends(0, /active/, 'service-account', 'show', '--json');
  equal(shown.includes('fb_sa_'), false);
  await ends(0, /Permissions +backups:read\n/, 'service-account', 'update', '--permissions', 'backups:read');
  await ends(0, /No API keys/, 'keys');
  await ends(2, /Allowed choices are viewer, member, admin/, 'keys', 'create', 'Deploy', '--role', 'owner');
  await ends(2, /at most 365 days from now/, 'keys', 'create', 'Deploy', '--expires', '400d');
  const made = ['keys', 'create', 'Deploy', '--role', 'member', '--permissions', 'projects:read', '--expires', '30d'];
  const text = (await ends(0, /^fb_key_\S+\n$/, ...made, '--from', '127.0.0.1,::1', '--quiet')).trim();
  const alone = { env: { BMS_API_KEY: text, BMS_TOKEN: '', BMS_ORGANIZATION: '' } };
  equal((await bms.run(['projects'], alone)).code, 0);
  match((await bms.run(['backups'], alone)).err, /lacks the scope backups:read/);
  await ends(0, /Role +viewer\n[\s\S]*From +anywhere/, 'keys', 'change', 'Deploy', '--role', 'viewer', '--from-anywhere');
  await ends(0, /^fb_key_\S+\n$/, 'keys', 'rotate', 'Deploy', '--overlap-hours', '0', '--quiet');
  match((await bms.run(['projects'], alone)).err, /Invalid API key/);
  await ends(0, /Deploy +viewer/, 'keys', 'ls');
  await ends(0, /Last used +\d/, 'keys', 'show', 'Deploy');
  await ends(2, /Add --yes to confirm/, 'keys', 'delete', 'Deploy');
  await ends(0, /^Deleted Deploy/, 'keys', 'delete', 'Deploy', '--yes');

  await ends(2, /Add --yes to confirm/, 'service-account', 'remove');
  await ends(0, /^Deleted the service account CI/, 'service-account', 'remove', '--yes');
});

test('an organization with a running restore is deleted with --cancel-jobs; what was written is told and undone after a recovery', async () => {
  const organization = await newOrganization(undefined, 'Analytical Engines');
  const { id, owner } = organization;
  const bms = openBms({ BMS_URL: stageUrl(), BMS_TOKEN: owner.accessToken, BMS_ORGANIZATION: id });
  const { restoreJobId, sourceProjectId, before } = await startSlowRestore(organization);

  const refused = await bms.run(['orgs', 'delete', 'Analytical Engines', '--yes']);
  equal(refused.code, 1);
  match(
    refused.err,
    new RegExp(`in progress: restore ${restoreJobId} \\(JOB_IN_PROGRESS.*; add --cancel-jobs to cancel them first`),
  );

  const deleted = await bms.run(['orgs', 'delete', 'Analytical Engines', '--yes', '--cancel-jobs']);
  equal(deleted.code, 0, deleted.err);
  const written = Object.keys(await contentsOf(sourceProjectId)).length;
  match(
    deleted.out + deleted.err,
    new RegExp(
      `^Deleted Analytical Engines \\(${id}\\); bms orgs recover ${id} takes it back\nrestore ${restoreJobId}: cancelled, ${written} documents? written; after a recovery, bms undo ${restoreJobId} takes it back$`,
      'm',
    ),
  );

  const recovered = await bms.run(['orgs', 'recover', id]);
  equal(recovered.code, 0, recovered.err);
  while ((await itemsOf(`ORG#${id}`)).some(({ sk }) => sk.startsWith('JOB#'))) await pause(100);
  const undone = await bms.run(['undo', restoreJobId, '--yes', '--wait']);
  equal(undone.code, 0, undone.err);
  deepEqual(await contentsOf(sourceProjectId), before);
});

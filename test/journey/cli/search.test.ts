/** Searching a backup on the running service, with the command line. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { scopes } from '../../../shared/contract/access.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { openBms } from '../../harness/env/run-bms.ts';
import { takeBackup } from '../../harness/stage/backup.ts';
import { call, stageUrl } from '../../harness/stage/client.ts';
import { newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';

test('bms search: finds documents by value, id and path in the newest backup, and says what it would cost', async () => {
  const organization = await newOrganization();
  const { id: backupId } = await takeBackup(organization);
  const bms = openBms({ BMS_URL: stageUrl(), BMS_API_KEY: await newServiceAccountKey(organization, scopes) });
  const pathsOf = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await bms.json<{ path: string }[]>('search', ...args)).map(({ path }) => path);

  deepEqual(await pathsOf('name == "Ada" and born < 1900'), ['users/ada']);
  deepEqual(await pathsOf('"note"'), ['users/ada/notes/g']);
  deepEqual(await pathsOf('name exists', '--limit', '1'), ['users/ada']);
  deepEqual(await pathsOf('name exists', '--collection', 'notes'), []);
  deepEqual(await pathsOf('g', '--backup', 'latest'), ['users/ada/notes/g']);
  deepEqual(await pathsOf('users/grace', '--backup', backupId), ['users/grace']);

  const { code, out, err } = await bms.run(['search', 'born == 1815']);
  equal(code, 0, err);
  match(out, /users\/ada .*\{"name":"Ada","born":1815\}/);
  match(
    err,
    new RegExp(
      `Searched 3 documents in ${backupId} of .* UTC\\nRestore one: bms restore ${backupId} --documents users/ada --no-subcollections`,
    ),
  );
  const planned = await bms.run(['search', 'born == 1815', '--dry-run']);
  match(planned.out, /Looks for +values of fields\n/);
  match(planned.out, /Filters +none that this search can use; bms projects update --search-field names born\n/);
  match(planned.out, /Documents +3 of 3\n/);
  match(planned.out, /Costs +[\d.]+ USD/);
  const refused = await bms.run(['search', 'born == today']);
  equal(refused.code, 2);
  match(refused.err, /has the value today: put text in double quotes/);

  // Who searched what is on record, without the values.
  const { data } = (
    await call(auditLogs.list, {
      token: organization.owner.accessToken,
      org: organization.id,
      query: { action: 'document.searched' },
    })
  ).body;
  const details = data.map((entry) => JSON.stringify(entry.details));
  ok(details.some((one) => one.includes('name, born')) && details.every((one) => !one.includes('Ada')), details.join('\n'));
});

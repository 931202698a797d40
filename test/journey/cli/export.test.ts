/** Exports with the command line: planned, watched, listed, shown, and refused with a clear reason. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { test } from 'vitest';
import { scopes } from '../../../shared/contract/access.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { openBms } from '../../harness/env/run-bms.ts';
import { newDestination, takeBackup } from '../../harness/stage/backup.ts';
import { call, stageUrl } from '../../harness/stage/client.ts';
import { type ExportData, filesOf } from '../../harness/stage/export.ts';
import { newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';

test('bms export: a backup is exported into a bucket, listed and shown', async () => {
  const organization = await newOrganization();
  const backup = await takeBackup(organization);
  const lake = await newDestination(organization, { name: 'Lake' });
  const bms = openBms({ BMS_URL: stageUrl(), BMS_API_KEY: await newServiceAccountKey(organization, scopes) });
  const planned = await bms.run(['export', 'latest', '--format', 'csv', '--storage', 'Lake', '--dry-run']);
  equal(planned.code, 0, planned.err);
  match(planned.out, /An export as csv into Lake has 3 documents of about .* in about 2 files/);
  const given = ['--format', 'csv', '--storage', 'lake', '--collections', 'users', '--columns', '__path__,name'];
  const { code, out, err } = await bms.run(['export', 'latest', ...given, '--wait']);
  equal(code, 0, err);
  match(out, /Export exp_\w+ completed: 3 documents, 2 files, .*, in exports\//);
  const job = await bms.json<ExportData>('export', 'show', 'latest');
  const { data } = (
    await call(storageDestinations.get, {
      token: organization.owner.accessToken,
      org: organization.id,
      params: { storageId: lake.id },
    })
  ).body;
  const { files } = await filesOf(data.bucket, job);
  equal(String(files['users/part-00001.csv']), '__path__,name\r\nusers/ada,Ada\r\nusers/grace,Grace\r\n');
  deepEqual(
    (await bms.json<ExportData[]>('export', 'ls')).map(({ id, backupId }) => [id, backupId]),
    [[job.id, backup.id]],
  );
  match((await bms.run(['export', 'ls'])).out, /csv +3 /);
  match((await bms.run(['export', 'show', job.id])).out, /Into +Lake, exports\//);
  const folder = join(await mkdtemp(join(tmpdir(), 'bms-export-')), 'below');
  const csv = String(files['users/part-00001.csv']);
  match(
    (await bms.run(['export', 'download', 'latest', '--into', folder])).out,
    /^2 files \(.*\) of export exp_\w+ in .*below\n$/,
  );
  equal(await readFile(join(folder, 'users/part-00001.csv'), 'utf8'), csv);
  // What is there already is not downloaded again.
  await writeFile(join(folder, 'users/part-00001.csv'), csv.replace('Ada', 'Eve'));
  const { unchanged, files: count } = await bms.json<{ unchanged: number; files: number }>(
    ...['export', 'download', job.id, '--into', folder],
  );
  deepEqual([unchanged, count, await readFile(join(folder, 'users/part-00001.csv'), 'utf8')], [1, 2, csv]);
  const whole = ['export', 'latest', '--format', 'ndjson', '--collections', 'users', '--download', join(folder, 'all')];
  const downloaded = await bms.run(whole);
  equal(downloaded.code, 0, downloaded.err);
  match(await readFile(join(folder, 'all/part-00001.ndjson'), 'utf8'), /^\{.*Ada.*\}\n\{.*Note G.*\}\n\{.*Grace.*\}\n$/);
  const recipient = await identityToRecipient(await generateIdentity());
  const sealed = await bms.run([...whole.slice(0, -1), join(folder, 'sealed'), '--recipient', recipient]);
  equal(sealed.code, 0, sealed.err);
  match(await readFile(join(folder, 'sealed/part-00001.ndjson.age'), 'latin1'), /^age-encryption.org\/v1\n-> X25519 /);
  match((await bms.run(['export', 'show', 'latest'])).out, new RegExp(`Encrypted for +${recipient}`));
  equal((await bms.run(['export', 'latest', '--format', 'ndjson', '--recipient', 'age1ada'])).code, 2);
  const refused = await bms.run(['export', 'latest', '--format', 'ndjson', '--columns', 'name']);
  deepEqual([refused.code, /columns/.test(refused.err)], [2, true], refused.err);
  const ended = await bms.run(['export', 'cancel', 'latest']);
  equal(ended.code, 1);
  match(ended.err, /completed/);
  equal((await bms.run(['export', '--at', '10m', '--format', 'csv'])).code, 2);
});

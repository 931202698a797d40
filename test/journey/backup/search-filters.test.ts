/** Backups with filters of the values that are searched for, from the first to the last of their days: everything knows the filters. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { search } from '../../../shared/contract/endpoints/search.ts';
import { chance } from '../../harness/builders/sample-archive.ts';
import { runArchive } from '../../harness/env/run-archive-command.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { signIn } from '../../harness/stage/person.ts';

const random = chance('search filters');
const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });
const emailOf = (n: number, time = 0): string => `user${n}.${time}@example.com`;
const users = (numbers: readonly number[], time = 0): Record<string, object> =>
  Object.fromEntries(
    numbers.map((n) => [
      `users/u${String(n).padStart(4, '0')}`,
      { email: { stringValue: emailOf(n, time) }, padding: { stringValue: random(700).toString('hex') } },
    ]),
  );
const numbers = Array.from({ length: 1_200 }, (_, n) => n);

/** A full backup of 1,200 users, and an incremental one after 100 of them have changed. */
const takeFiltered = async (organization: TestOrganization) => {
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  const { id: projectId, sourceProjectId } = project;
  const body = { settings: { searchFields: ['email'] } };
  equal((await call(projects.update, { ...by(organization), params: { projectId }, body })).status, 200);
  const take = async (type: 'full' | 'incremental') => {
    const { id } = await startBackup(organization, { projectId, storageDestinationId: destination.id, type });
    const ended = await endOf(organization, id);
    equal(ended.status, 'completed', JSON.stringify(ended.error));
    return ended;
  };
  await seed(sourceProjectId, users(numbers));
  const full = await take('full');
  await seed(sourceProjectId, users(numbers.slice(0, 100), 1));
  const next = await take('incremental');
  const { bucket } = destination;
  const filters = Object.keys(await objectsIn(bucket)).filter((name) => name.includes('/filter/'));
  for (const { path } of [full, next])
    ok(
      filters.some((name) => name.startsWith(path)),
      filters.join(),
    );
  return { projectId, destination, bucket, full, next };
};

/** The paths that have the email; fails unless filters spared most of the documents. */
const searchIn = async (organization: TestOrganization, at: { projectId: string; backupId: string }, email: string) => {
  const query = { q: `email == "${email}"`, ...at };
  const { status, body, text } = await call(search.documents, { ...by(organization), query });
  equal(status, 200, text);
  const { matches, plan, scanned } = body.data;
  ok(plan.indexed && scanned.documents < numbers.length / 2, JSON.stringify({ plan, scanned }));
  return matches.map(({ path }) => path);
};

const verifyFully = async (organization: TestOrganization, backupId: string): Promise<void> => {
  const params = { backupId };
  equal((await call(backups.verify, { ...by(organization), params, body: { depth: 'full' } })).status, 202);
  await expect
    .poll(async () => (await call(backups.get, { ...by(organization), params })).body.data.verification, { timeout: 120_000 })
    .toMatchObject({ status: 'passed', findings: [] });
};

const assertFound = async (
  organization: TestOrganization,
  { projectId, full, next }: Awaited<ReturnType<typeof takeFiltered>>,
) => {
  const [inFull, inNext] = [
    { projectId, backupId: full.id },
    { projectId, backupId: next.id },
  ];
  deepEqual(await searchIn(organization, inFull, emailOf(7)), ['users/u0007']);
  deepEqual(await searchIn(organization, inNext, emailOf(7)), []);
  deepEqual(await searchIn(organization, inNext, emailOf(7, 1)), ['users/u0007']);
  deepEqual(await searchIn(organization, inNext, emailOf(400)), ['users/u0400']);
};

test('filters: a backup with them is searched, verified, moved to another organization and deleted without a trace', async () => {
  const owner = await signIn();
  const from = await newOrganization(owner, 'From');
  const to = await newOrganization(owner, 'To');
  const taken = await takeFiltered(from);
  const { projectId, bucket, full, next } = taken;
  await assertFound(from, taken);
  for (const { id } of [full, next]) await verifyFully(from, id);

  const body = { organizationId: to.id };
  equal((await call(projects.update, { ...by(from), params: { projectId }, body })).status, 200);
  deepEqual((await call(projects.get, { ...by(to), params: { projectId } })).body.data.settings.searchFields, ['email']);
  await assertFound(to, taken);
  await verifyFully(to, next.id);
  for (const { id } of [next, full]) equal((await call(backups.remove, { ...by(to), params: { backupId: id } })).status, 200);
  await expect.poll(async () => Object.keys(await objectsIn(bucket)), { timeout: 120_000 }).toEqual([]);
});

test('filters: a backup with them is imported, and read without the service', async () => {
  const organization = await newOrganization();
  const passphrase = 'a passphrase of the organization';
  const set = await call(encryption.set, { ...by(organization), body: { mode: 'customer', passphrase } as never });
  equal(set.status, 200, set.text);
  const { projectId, destination, bucket, full, next } = await takeFiltered(organization);
  const imported = await call(backupContents.register, {
    ...by(organization),
    body: { projectId, storageDestinationId: destination.id, path: full.path },
  });
  equal(imported.status, 201, imported.text);
  const { id: backupId, size, documentCount } = imported.body.data;
  deepEqual([size, documentCount], [full.size, full.documentCount]);
  deepEqual(await searchIn(organization, { projectId, backupId }, emailOf(7)), ['users/u0007']);
  await verifyFully(organization, backupId);

  const folder = mkdtempSync(join(tmpdir(), 'filters-'));
  const env = { ARCHIVE_PASSPHRASE: passphrase };
  try {
    for (const key of Object.keys(await objectsIn(bucket))) {
      await mkdir(dirname(join(folder, key)), { recursive: true });
      await writeFile(join(folder, key), await objectAt(bucket, key));
    }
    const verified = await runArchive(['verify', join(folder, next.path), '--full'], env);
    equal(verified.code, 0, verified.err);
    const exported = await runArchive(['export', join(folder, next.path)], env);
    equal(exported.code, 0, exported.err);
    equal(exported.out.split('\n').filter((line) => line.includes('@example.com')).length, numbers.length);
    const name = Object.keys(await objectsIn(bucket, `${full.path}/filter/`))[0] ?? '';
    await rm(join(folder, name));
    const damaged = await runArchive(['verify', join(folder, next.path)], env);
    equal(damaged.code, 1, damaged.out);
    match(damaged.out, /filter\/\d{8}-\d{4}: is missing/);
    // What is searched for faster is not needed to read.
    equal((await runArchive(['export', join(folder, next.path)], env)).out, exported.out);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Starting, watching, cancelling, verifying and deleting backups in the console. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { DeleteObjectCommand, ListObjectVersionsCommand, PutObjectRetentionCommand } from '@aws-sdk/client-s3';
import type { Locator, Page } from 'playwright-core';
import { test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { compareAll } from '../../harness/browser/compare-all.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { newAttackedProject } from '../../harness/stage/anomaly.ts';
import { newBucket, newDestination, newProject, seed, takeBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

/** Would call alert, or violate the Content-Security-Policy, if it became part of the document. */
const attack = 'Shop <img src=x onerror=alert(1)>';

const backupOf = async ({ id, owner }: TestOrganization, backupId: string) =>
  (await call(backups.get, { token: owner.accessToken, org: id, params: { backupId } })).body.data;

const idIn = (page: Page): string => /\/backups\/(bkp_\w+)/.exec(page.url())?.[1] ?? '';

const isOff = async (control: Locator): Promise<boolean> => (await control.getAttribute('aria-disabled')) === 'true';

test('console: a person starts a backup, cancels it, takes another, verifies it and deletes it', async () => {
  const organization = await newOrganization();
  const destination = await newDestination(organization, { name: 'Archive' });
  const project = await newProject(organization, { name: attack, settings: { defaultStorageId: destination.id } });
  const text = { text: { stringValue: 'x'.repeat(4_000) } };
  await seed(project.sourceProjectId, Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`notes/${n}`, text])));
  const { page, check } = await openConsole({ email: organization.owner.email, path: '/backups' });
  page.on('dialog', () => ok(false, 'a text of the person was executed'));

  await page.getByText('No backups yet').waitFor();
  await check.screenshots('backups-empty');
  await check.accessibility();

  await page.getByRole('button', { name: 'Back up now' }).click();
  const dialog = page.getByRole('dialog');
  const estimate = dialog.getByRole('region', { name: 'Estimate' });
  await estimate.getByText('400', { exact: true }).first().waitFor();
  await check.screenshots('backup-start');
  await check.accessibility();

  // 400 messages with a pause each: time enough to watch it, also on a slow machine.
  const endFault = await addFault({ project: project.sourceProjectId, method: 'RunQuery', pauseMs: 300, times: 50 });
  await dialog.getByRole('button', { name: 'Start backup' }).click();
  await page.getByRole('heading', { name: 'In progress', exact: true }).waitFor();
  await page.getByText('of 400').waitFor();
  await page.getByText(/\d documents\/s/).waitFor();
  await page.getByText(/^About \d+/).waitFor();
  const seen = Number(await page.getByRole('progressbar', { name: 'Copying' }).getAttribute('aria-valuenow'));
  ok(seen < 100, `the running backup is shown at ${seen} %`);
  await check.screenshots('backup-running');
  await check.accessibility();

  const cancelled = idIn(page);
  await page.getByRole('button', { name: 'Cancel backup' }).click();
  await page.getByRole('button', { name: 'Cancel the backup' }).click();
  await page.getByText('This backup was cancelled').waitFor();
  equal((await backupOf(organization, cancelled)).status, 'cancelled');
  await endFault();

  await page.getByRole('link', { name: 'Back up again' }).click();
  await estimate.getByText('400', { exact: true }).first().waitFor();
  await dialog.getByRole('button', { name: 'Start backup' }).click();
  // The page follows the backup to its end without being reloaded.
  await page.getByRole('heading', { name: 'Verification', exact: true }).waitFor();
  await page
    .getByRole('figure', { name: 'Open this backup' })
    .getByText(/^bms open bkp_/)
    .waitFor();
  const completed = idIn(page);
  equal((await backupOf(organization, completed)).documentCount, 400);
  await page.getByText('matches the count of the database').waitFor();

  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('menuitem', { name: /^Full/ }).click();
  await page.getByText(/Every byte of the backup was read, decrypted and checked/).waitFor();
  const { verification, path } = await backupOf(organization, completed);
  equal(`${verification?.depth} ${verification?.status}`, 'full passed');
  await check.screenshots('backup-completed');
  await check.accessibility();

  // Someone deletes an object of the backup from the bucket.
  const [chunk] = Object.keys(await objectsIn(destination.bucket, `${path}/chunk/`));
  await bucketClient().send(new DeleteObjectCommand({ Bucket: destination.bucket, Key: chunk }));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('menuitem', { name: /^Quick/ }).click();
  await page.getByText(/^1 problem found/).waitFor();
  await page.getByText(String(chunk?.slice(path.length + 1))).waitFor();
  await page.getByText('There is no good backup of this project.').waitFor();
  match((await page.getByRole('link', { name: 'Back up now' }).getAttribute('href')) ?? '', /start=prj_/);
  await check.screenshots('backup-damaged');
  await check.accessibility();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const remove = dialog.getByRole('button', { name: 'Delete the backup' });
  ok(await isOff(remove), 'deleting needs no typed confirmation');
  await dialog.getByLabel(/to confirm/).fill('Shop');
  ok(await isOff(remove), 'half of the name is enough');
  await check.screenshots('backup-delete');
  await check.accessibility();
  await dialog.getByLabel(/to confirm/).fill(attack);
  await remove.click();
  await page.getByRole('heading', { name: 'Backups', exact: true }).waitFor();
  equal((await backupOf(organization, completed)).status, 'deleted');
  check.problems();
});

test('console: the list of backups is filtered, and its address keeps the filters', async () => {
  const organization = await newOrganization();
  const { id, projectId, storageDestination } = await takeBackup(organization);
  const body = { projectId, storageDestinationId: storageDestination.id, collections: ['nowhere'] };
  await call(backups.create, { token: organization.owner.accessToken, org: organization.id, body });
  const { page, goTo, check } = await openConsole({ email: organization.owner.email, path: '/backups' });
  const rows = page.getByRole('table', { name: 'Backups' }).locator('tbody tr');
  await rows.nth(1).getByText('Completed').waitFor();
  await rows.nth(0).getByText('Failed').waitFor();
  await check.screenshots('backups');
  await check.accessibility();
  await page.getByLabel('Status').selectOption('Failed');
  await rows.nth(1).waitFor({ state: 'detached' });
  match(page.url(), /status=failed/);
  await page.getByLabel('Type').selectOption('Incremental');
  await page.getByText('No backup matches these filters').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await page.getByText('No backup matches these filters').waitFor();
  await goTo('/backups?status=completed&type=full&trigger=manual');
  await rows.getByText('Completed').waitFor();
  equal(await rows.count(), 1);
  equal(await rows.getByRole('link').first().getAttribute('href'), `/console/backups/${id}`);
  check.problems();
});

test('console: unusual changes are seen, compared, restored from before, and acknowledged by keyboard alone', async () => {
  const organization = await newOrganization();
  const { usual, take, attack: harm } = await newAttackedProject(organization, { name: attack });
  await harm();
  const marked = await take('full');
  const kept = usual.at(-1)?.id;
  ok(marked.anomaly);
  const reads = await openConsole({ email: (await addMember(organization, 'viewer')).email, path: `/backups/${marked.id}` });
  for (const name of ['Acknowledge…', 'Restore from before…']) {
    const button = reads.page.getByRole('button', { name });
    ok(await isOff(button), name);
    await button.focus();
    await reads.page.getByRole('tooltip').getByText('Only members, admins and the owner can do this.').first().waitFor();
    await button.click({ force: true });
  }
  equal(await reads.page.getByRole('dialog').count(), 0);
  reads.check.problems();

  const { page, goTo, check } = await openConsole({ email: organization.owner.email });
  const inspect = async (name: string): Promise<void> => {
    await check.screenshots(name);
    await check.accessibility();
  };
  const notice = page.getByRole('link', { name: /^Critical: A backup of Shop .* differs from what is usual/ });
  await notice.waitFor();
  await inspect('anomaly-overview');
  await goTo('/backups?status=unusual');
  const rows = page.getByRole('table', { name: 'Backups' }).locator('tbody tr');
  await rows.getByText('Unusual changes').waitFor();
  equal(await rows.count(), 1);
  await page.getByLabel('Status').selectOption('Any status');
  await rows.nth(usual.length).getByText('Completed').waitFor();
  equal(await rows.getByText('Unusual changes').count(), 1);
  await inspect('anomaly-backups');

  await goTo('');
  await notice.click();
  const table = page.getByRole('table', { name: 'Unusual changes' });
  await table.getByText('40 of 200').waitFor();
  equal(await table.locator('tbody tr').count(), marked.anomaly.findings.length);
  await inspect('anomaly-backup');
  await page.getByRole('button', { name: 'More actions' }).click();
  ok(await isOff(page.getByRole('menuitem', { name: /^Delete/ })));
  await page.getByRole('menuitem').getByText('Acknowledge the unusual changes first.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Compare with the backup before' }).click();
  await compareAll(page);
  await page.getByText('users/u0150').waitFor();
  match(page.url(), new RegExp(`/compare\\?against=${kept}$`));
  await inspect('anomaly-compare');

  // A person who wants to restore the marked one is warned at every step, and keeps the scope with the one from before.
  await goTo(`/restore/new?backupId=${marked.id}&documents=users%2Fu0150`);
  const before = page.getByRole('button', { name: 'Use the last one from before' });
  await before.waitFor();
  await inspect('anomaly-restore');
  await page.getByRole('button', { name: 'Source' }).click();
  const picked = page.getByRole('radio', { checked: true });
  await page.locator('label', { has: picked }).getByText('Unusual changes').waitFor();
  await inspect('anomaly-restore-source');
  await before.press('Enter');
  await before.waitFor({ state: 'detached' });
  match(page.url(), new RegExp(`backupId=${kept}&.*documents=users%252Fu0150`));
  await goTo(`/backups/${marked.id}`);
  await page.getByRole('link', { name: 'Restore from before…' }).click();
  await page.getByRole('heading', { name: 'What do you want to restore?' }).waitFor();
  match(page.url(), new RegExp(`backupId=${kept}`));
  equal(await before.count(), 0);

  await goTo(`/backups/${marked.id}`);
  await page.getByRole('button', { name: 'Acknowledge…' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await inspect('anomaly-acknowledge');
  await page.keyboard.type('We removed old accounts');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('We removed old accounts').waitFor();
  await page.locator('main:focus').waitFor();
  equal(await page.getByRole('button', { name: 'Acknowledge…' }).count(), 0);
  await inspect('anomaly-acknowledged');
  const { anomaly } = await backupOf(organization, marked.id);
  deepEqual([anomaly?.note, anomaly?.acknowledgedBy?.email], ['We removed old accounts', organization.owner.email]);
  await goTo('');
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  await notice.waitFor({ state: 'detached' });
  check.problems();
});

test('console: a viewer sees every action on backups disabled, with the reason', async () => {
  const organization = await newOrganization();
  const backup = await takeBackup(organization);
  const viewer = await addMember(organization, 'viewer');
  const { page, goTo, check } = await openConsole({ email: viewer.email, path: '/backups?start=new' });
  const start = page.getByRole('button', { name: 'Back up now' });
  ok(await isOff(start));
  equal(await page.getByRole('dialog').count(), 0);
  await start.focus();
  await page.getByText('Only members, admins and the owner can do this.').first().waitFor();

  await goTo(`/backups/${backup.id}`);
  await page.getByRole('heading', { name: 'Verification', exact: true }).waitFor();
  for (const name of ['Restore…', 'Verify']) ok(await isOff(page.getByRole('button', { name })), name);
  await page.getByRole('button', { name: 'More actions' }).click();
  const remove = page.getByRole('menuitem', { name: /^Delete/ });
  ok(await isOff(remove));
  await remove.getByText('Only admins and the owner can do this.').waitFor();
  await remove.click({ force: true });
  equal(await page.getByRole('dialog').count(), 0);
  await page.keyboard.press('Escape');
  await check.screenshots('backup-viewer');
  await check.accessibility();

  await goTo(`/backups/${backup.id}/compare?against=live`);
  ok(await isOff(page.getByRole('button', { name: 'Compare' })));
  await goTo(`/backups/${backup.id}/browse?path=users/ada`);
  await page.getByText('"Ada"').waitFor();
  for (const name of ['Restore…', 'Restore the collection users', 'Restore the document ada'])
    ok(await isOff(page.getByRole('button', { name, exact: true })), name);
  check.problems();
});

test('console: a locked backup shows until when it is immutable, and that a lock was shortened', async () => {
  const organization = await newOrganization();
  const bucket = await newBucket(undefined, { hasObjectLock: true });
  const destination = await newDestination(organization, { bucket, objectLock: { mode: 'governance', days: 30 } });
  const { id, path } = await takeBackup(organization, { storageDestinationId: destination.id });
  const { page, check, goTo } = await openConsole({ email: organization.owner.email, path: `/backups/${id}` });
  await page.getByText(/Immutable until/).waitFor();
  await check.screenshots('backup-immutable');
  await check.accessibility();

  const { Versions = [] } = await bucketClient().send(
    new ListObjectVersionsCommand({ Bucket: bucket, Prefix: `${path}/chunk/` }),
  );
  const { Key, VersionId } = Versions[0]!;
  const Retention = { Mode: 'GOVERNANCE', RetainUntilDate: new Date(Date.now() + 3_600_000) } as const;
  await bucketClient().send(
    new PutObjectRetentionCommand({ Bucket: bucket, Key, VersionId, Retention, BypassGovernanceRetention: true }),
  );
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('menuitem', { name: /^Quick/ }).click();
  const notice = page.getByText('The storage protects this backup for less time than it should');
  await notice.waitFor();
  const finding = page.getByText(/The store keeps the object locked until/);
  equal(/\d\dT\d\d:/.test(await finding.innerText()), false, 'times are those of the person');
  await page.getByText(/The lock of one object that the backup needs ends earlier than its own/).waitFor();
  await check.screenshots('backup-lock-problem');
  await check.accessibility();
  // The incident follows the verification, and an open page does not ask for new ones.
  const incidents = { token: organization.owner.accessToken, org: organization.id, query: { kind: 'lock_problem' } };
  while ((await call(alerts.incidents, incidents)).body.data.length === 0) await pause(200);
  await goTo('/alerts');
  await page
    .getByText(/Backup not immutable as promised/)
    .first()
    .waitFor();
  check.problems();
});

test('console: a backup that was imported from another database says so', async () => {
  const organization = await newOrganization();
  const { path, projectId, storageDestination } = await takeBackup(organization);
  const other = await newProject(organization, { name: 'Other' });
  const imported = async (into: string): Promise<string> => {
    const body = { projectId: into, storageDestinationId: storageDestination.id, path };
    return (await call(backupContents.register, { token: organization.owner.accessToken, org: organization.id, body })).body.data
      .id;
  };
  const { page, goTo } = await openConsole({
    email: organization.owner.email,
    path: `/backups/${await imported(other.id)}`,
  });
  await page.getByText('Origin', { exact: true }).waitFor();
  await page.getByText('Another database', { exact: true }).waitFor();
  await goTo(`/backups/${await imported(projectId)}`);
  await page.getByText('Folder in the bucket').waitFor();
  equal(await page.getByText('Another database').count(), 0);
});

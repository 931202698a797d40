/** A viewer opens every page of the console: whatever would change something is disabled, with the reason. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { type OpenConsole, openConsole } from '../../harness/browser/open-console.ts';
import { newDestination, newProject, seed, takeBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { exportAll } from '../../harness/stage/export.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { restore } from '../../harness/stage/restore.ts';

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });

let organization: TestOrganization;
let console_: OpenConsole;
let ids: { readonly [kind in 'project' | 'backup' | 'restore' | 'export' | 'schedule' | 'webhook' | 'restoreTest']: string };
/** Calls that are not reads; a viewer's pages make none. */
const changes: string[] = [];

beforeAll(async () => {
  organization = await newOrganization(undefined, 'Analytical Engines');
  const destination = await newDestination(organization);
  const project = await newProject(organization, { name: 'Shop', settings: { defaultStorageId: destination.id } });
  await seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } });
  const backup = await takeBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  const { restoreJobId } = await restore(organization, { backupId: backup.id, targetProjectId: project.id });
  const { id: exportId } = await exportAll(organization, { backupId: backup.id, format: 'ndjson' });
  const schedule = await call(schedules.create, {
    ...by(organization),
    body: { name: 'Every night', projectId: project.id, storageDestinationId: destination.id, cron: '0 2 * * *' },
  });
  const webhook = await call(webhooks.create, {
    ...by(organization),
    body: { name: 'Pager', url: 'https://example.com/hook', events: ['backup.*'] },
  });
  const restoreTest = await call(restoreTests.create, {
    ...by(organization),
    body: { name: 'Proof', projectId: project.id, cron: '0 4 * * 0' },
  });
  equal(restoreTest.status, 201, restoreTest.text);
  equal(schedule.status, 201, schedule.text);
  equal(webhook.status, 201, webhook.text);
  const [scheduleId, webhookId] = [schedule.body.data.id, webhook.body.data.id];
  ids = {
    project: project.id,
    backup: backup.id,
    restore: restoreJobId,
    export: exportId,
    schedule: scheduleId,
    webhook: webhookId,
    restoreTest: restoreTest.body.data.id,
  };
  const viewer = await addMember(organization, 'viewer');
  console_ = await openConsole({ email: viewer.email });
  console_.page.on('request', (request) => {
    const isChange = request.url().includes('/api/v1/') && request.method() !== 'GET';
    if (isChange && !request.url().endsWith('/auth/refresh')) changes.push(`${request.method()} ${request.url()}`);
  });
});

/** Each page with the actions that it shows disabled. */
const pages: readonly (readonly [path: () => string, off: readonly string[]])[] = [
  [() => '', ['Restore…']],
  [() => '/projects', ['Connect a project']],
  [() => '/projects/new', ['Connect']],
  [() => `/projects/${ids.project}`, ['Restore…', 'Back up now']],
  [() => `/projects/${ids.project}/schedules`, ['New schedule']],
  [() => `/projects/${ids.project}/point-in-time`, ['Enable…']],
  [() => `/projects/${ids.project}/settings`, ['Save', 'Reconnect…', 'Disconnect…']],
  [() => `/projects/${ids.project}/move`, ['Move…']],
  [() => `/projects/${ids.project}?reconnect=true`, ['Reconnect']],
  [() => '/backups', ['Back up now']],
  [() => `/projects/${ids.project}/erasures`, ['Erase documents…']],
  [() => `/backups/${ids.backup}`, ['Restore…', 'Verify']],
  [() => `/backups/${ids.backup}/browse?path=users/ada`, ['Restore…', 'Restore the document ada']],
  [() => `/backups/${ids.backup}/compare?against=live`, ['Compare']],
  [() => '/restores', ['New restore']],
  [() => `/restores/${ids.restore}`, ['Undo…']],
  [() => '/exports', ['New export']],
  [() => '/exports/new', ['Make the plan']],
  [() => `/exports/new?backupId=${ids.backup}`, ['Make the plan']],
  [() => `/exports/${ids.export}`, ['Export again…']],
  [() => '/schedules', ['New schedule']],
  [() => '/schedules/new', ['Create the schedule']],
  [() => `/schedules/${ids.schedule}`, ['Run now', 'Edit']],
  [() => `/schedules/${ids.schedule}/edit`, ['Save']],
  [() => '/restore-tests', ['New restore test', 'Run now: Proof']],
  [() => '/restore-tests/new', ['Create the restore test']],
  [() => '/restore-tests/report', []],
  [() => `/restore-tests/${ids.restoreTest}`, ['Run now']],
  [() => `/restore-tests/${ids.restoreTest}/edit`, ['Save']],
  [() => '/storage', ['Add storage', 'Test', 'Edit…', 'Remove…']],
  [() => '/webhooks', ['Add webhook']],
  [() => `/webhooks/${ids.webhook}`, ['Send a test…']],
  [() => '/alerts', ['Add alert']],
  [() => '/audit', ['Export…']],
  [() => '/team', ['Invite']],
  [() => '/api-keys', ['Create API key']],
  [() => '/organization', ['Save', 'Delete organization…']],
];

/** Controls that only read, show more or change the view; a person may also leave the organization themselves. */
const harmless = new RegExp(
  `^(${[
    ...[
      'Check now',
      'Close',
      'Copy.*',
      'Download.*',
      'Find( a document)?',
      'Leave…',
      'Load more',
      'More actions.*',
      'Open',
      'Preview.*',
      'Print',
      'Last (30 days|month|quarter|year)',
      'Report',
      'Save as a page',
      'Show.*',
      'Try again',
    ],
    ...['All', 'Delivered', 'Failed', 'Fields', 'JSON', 'Search by value', 'Search for documents'],
    ...['At risk', 'Not protected', 'Protected', 'Recovered'],
    // They sort a list.
    ...['Project', 'Protection', 'Last good backup', 'Proven'],
  ].join('|')})$`,
);
/** In a form that cannot be sent, what its fields offer is harmless too. */
const isForm = (path: string): boolean => /\/(new|edit)(\?|$)|reconnect=true$/.test(path);

interface Control {
  readonly name: string;
  readonly isOff: boolean;
}

/** The visible controls below a selector. */
const controlsIn = async (page: Page, selector: string): Promise<readonly Control[]> =>
  (await page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((control) => control.checkVisibility())
    .map((control) => ({
      name: (control.getAttribute('aria-label') || control.innerText).trim().split('\\n')[0],
      isOff: control.getAttribute('aria-disabled') === 'true' || control.disabled === true,
    }))`)) as readonly Control[];

const reason = /^Only (members, admins and the owner|admins and the owner|the owner) can do this\.$/;

for (const [index, [pathOf, off]] of pages.entries())
  test(`console: a viewer changes nothing on page ${index + 1} (${String(pathOf).replace(/^\(\) => /, '')})`, async () => {
    const { page, goTo, check } = console_;
    const path = pathOf();
    await goTo(path);
    for (const name of off) {
      const button = page.getByRole('button', { name, exact: true }).first();
      await button.waitFor();
      equal(await button.getAttribute('aria-disabled'), 'true', `${path}: ${name}`);
      await button.focus();
      const tips = page.getByRole('tooltip');
      await tips.getByText(reason).first().waitFor();
      await button.click({ force: true });
    }
    await check.accessibility();
    // Nothing else on the page is a way to change something, menus included.
    const on = (controls: readonly Control[]) => controls.filter(({ isOff, name }) => !isOff && !harmless.test(name));
    const outside = isForm(path) ? ':not(form *, [role=dialog] *)' : '';
    const found = on(await controlsIn(page, `:is(main, [role=dialog]) :is(button, a.button)${outside}`));
    deepEqual(
      found.map(({ name }) => name),
      [],
      path,
    );
    const menus = page.locator('main [aria-haspopup=menu]:not([aria-disabled=true])');
    for (let n = 0; n < (await menus.count()); n++) {
      await menus.nth(n).click();
      await page.getByRole('menuitem').first().waitFor();
      const items = on(await controlsIn(page, '[role=menuitem]'));
      deepEqual(
        items.map(({ name }) => name),
        [],
        `${path}: menu ${n + 1}`,
      );
      await page.keyboard.press('Escape');
    }
    deepEqual(changes, []);
    check.problems();
  });

test('console: nothing that a viewer saw was changed', async () => {
  const { data } = (await call(auditLogs.list, { ...by(organization), query: { limit: '100' } })).body;
  ok(data.length > 0);
  const own = data.filter(({ actor }) => actor.email === console_.email).map(({ action }) => action);
  // Reading documents is audited as well.
  deepEqual([...new Set(own)].sort(), ['backup.browsed', 'invitation.accepted', 'member.joined']);
});

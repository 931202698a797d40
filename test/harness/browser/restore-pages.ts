/** A project with a backup, and what tests of the restore pages look at. */
import type { Locator, Page } from 'playwright-core';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { newProject, seed, takeBackup } from '../stage/backup.ts';
import { call } from '../stage/client.ts';
import { newOrganization, type TestOrganization } from '../stage/organization.ts';
import { contentsOf } from '../stage/restore.ts';

export const text = (stringValue: string) => ({ text: { stringValue } });
/** A name and a path that would run script if a page inserted them as HTML. */
export const script = '<img src=x onerror=alert(1)>';
export const scriptedPath = `users/${script}`;

/** A project with a backup of users and orders, and of `more`. */
export const shop = async (name = 'Shop', more: Readonly<Record<string, object>> = {}) => {
  const organization = await newOrganization(undefined, 'Analytical Engines');
  const project = await newProject(organization, { name });
  const source = project.sourceProjectId;
  await seed(source, {
    'users/ada': text('a'),
    'users/bob': text('b'),
    'users/ada/notes/1': text('n'),
    [scriptedPath]: text('x'),
    'orders/1': text('1'),
    'orders/2': text('2'),
    ...more,
  });
  const backup = await takeBackup(organization, { projectId: project.id });
  return { organization, project, source, backup };
};
export const pathsOf = async (source: string): Promise<readonly string[]> => Object.keys(await contentsOf(source)).sort();
export const next = (page: Page): Promise<void> => page.getByRole('button', { name: /^(Continue|Make the plan)$/ }).click();
/** Types the name that confirms a planned restore, if the page asks for it: a small one that can be undone needs none. */
export const typeName = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: /^Restore($| and | this )/ }).waitFor();
  const field = page.getByLabel(/to confirm/);
  if ((await field.count()) > 0) await field.fill(name);
};
export const countOf = (page: Page, label: string): Locator =>
  page.getByRole('list', { name: 'What will happen' }).getByRole('listitem').filter({ hasText: label });
export const restoresOf = async (organization: TestOrganization) => {
  const { body } = await call(restores.list, { token: organization.owner.accessToken, org: organization.id });
  return body.data;
};

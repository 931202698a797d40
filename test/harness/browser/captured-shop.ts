/** A project with point-in-time recovery, and the moments that tests of its pages choose. */
import { equal } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { newDestination, newProject, seed } from '../stage/backup.ts';
import { call } from '../stage/client.ts';
import { newOrganization } from '../stage/organization.ts';
import { text } from './restore-pages.ts';

export const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(500);
};

export const capturedShop = async () => {
  const organization = await newOrganization();
  const [project, destination] = await Promise.all([newProject(organization, { name: 'Shop' }), newDestination(organization)]);
  const by = { token: organization.owner.accessToken, org: organization.id, params: { projectId: project.id } };
  await seed(project.sourceProjectId, { 'users/ada': text('a'), 'shops/one': text('1') });
  const body = { storageDestinationId: destination.id, captureIntervalSeconds: 10 };
  equal((await call(pitr.enable, { ...by, body })).status, 202);
  await until(async () => (await call(pitr.get, by)).body.data.status === 'active');
  const windowAt = async (at: string) =>
    (await call(pitr.windows, by)).body.data.windows.find(({ from, to }) => from <= at && at < to);
  return { organization, projectId: project.id, source: project.sourceProjectId, destination, windowAt };
};

/** Waits for the next second and returns it. */
export const nextSecond = async (): Promise<string> => {
  await pause(1_000 - (Date.now() % 1_000) + 50);
  return new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
};

/** As the browser's field has it, in its time zone. */
export const localOf = (iso: string): string =>
  new Date(iso).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' }).replace(' ', 'T');

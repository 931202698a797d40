/** Read access to another organization's bucket is not enough: its data keys are bound to the organization. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { newDestination, newProject } from '../stage/backup.ts';
import { call } from '../stage/client.ts';
import { newOrganization } from '../stage/organization.ts';
import type { TwoOrganizations } from './two-organizations.ts';

export const attackWithStolenBucket = (organizations: () => TwoOrganizations): void => {
  test('a backup in a readable bucket of another organization cannot be imported', async () => {
    const { theirs, ours } = organizations();
    const organization = await newOrganization();
    const by = { token: organization.owner.accessToken, org: organization.id };
    const { id: projectId } = await newProject(organization);
    for (const { backupLocation } of [theirs, ours]) {
      const { bucket, prefix, path } = backupLocation;
      const { id: storageDestinationId } = await newDestination(organization, { bucket, prefix });
      const result = await call(backupContents.register, { ...by, body: { projectId, storageDestinationId, path } });
      ok(result.status >= 400 && result.status < 500, result.text);
      equal(result.text.includes('value'), false);
    }
  });
};

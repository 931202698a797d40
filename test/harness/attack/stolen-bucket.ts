/** Who can read another's bucket has bytes and no backup: the key is for whom it was made. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { newDestination, newProject } from '../stage/backup.ts';
import { call } from '../stage/client.ts';
import { newOrganization } from '../stage/organization.ts';
import type { TwoOrganizations } from './two-organizations.ts';

export const attackWithStolenBucket = (scene: () => TwoOrganizations): void => {
  test('a backup of another that lies in a bucket one can read is not to be had', async () => {
    const { theirs, ours } = scene();
    const organization = await newOrganization();
    const by = { token: organization.owner.accessToken, org: organization.id };
    const { id: projectId } = await newProject(organization);
    for (const { place } of [theirs, ours]) {
      const { bucket, prefix, path } = place;
      const { id: storageDestinationId } = await newDestination(organization, { bucket, prefix });
      const result = await call(backupContents.register, { ...by, body: { projectId, storageDestinationId, path } });
      ok(result.status >= 400 && result.status < 500, result.text);
      equal(result.text.includes('value'), false);
    }
  });
};

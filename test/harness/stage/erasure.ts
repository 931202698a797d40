import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { lookUntil } from '../time/look-until.ts';
import { call } from './client.ts';
import type { TestOrganization } from './organization.ts';

/** Waits until the backups are searched for all erasures of a project, and every copy of the ledger is stored. */
export const settledErasures = async ({ id, owner }: TestOrganization, projectId: string): Promise<void> => {
  await lookUntil(
    () => call(erasures.list, { token: owner.accessToken, org: id, params: { projectId } }),
    ({ body }) => body.data.every(({ status, copies }) => status !== 'resolving' && copies === 'stored'),
  );
};

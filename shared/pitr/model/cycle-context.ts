/** What a turn needs to know before it does anything. */
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { getAll, StaleReadError, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey } from '../../project/index.ts';
import { type PitrRecord, pitrKey } from './record.ts';
import type { ResumePosition } from './resume-position.ts';
import { readPositions } from './resume-token-items.ts';

export interface CycleContext {
  readonly tenant: Tenant;
  readonly pitr: PitrRecord;
  readonly project: ProjectRecord;
  readonly organization: OrganizationRecord;
  readonly positions: readonly ResumePosition[];
}

/** Undefined where nothing is to be captured: it was disabled, or the project or the organization is gone. */
export const loadCycleContext = async (tenant: Tenant, projectId: string): Promise<CycleContext | undefined> => {
  const [pitr, project, organization, tokens] = await getAll([
    pitrKey.pitr(tenant, projectId),
    projectKey.project(tenant, projectId),
    organizationKey.organization(tenant),
    pitrKey.tokens(tenant, projectId),
  ]);
  if (!pitr || pitr.status === 'disabled' || !project || !organization || organization.deletedAt !== undefined) return undefined;
  return { tenant, pitr, project, organization, positions: await readPositions(tenant, pitr, tokens) };
};

/** The same turn as it is now; throws if it is another's, or nobody's. */
export const reloadSameCycle = async ({ tenant, pitr: { projectId, turn } }: CycleContext): Promise<CycleContext> => {
  const cycle = await loadCycleContext(tenant, projectId);
  if (cycle?.pitr.turn !== turn) throw new StaleReadError();
  return cycle;
};

export const readPitr = async (tenant: Tenant, projectId: string): Promise<PitrRecord | undefined> =>
  (await getAll([pitrKey.pitr(tenant, projectId)]))[0] as PitrRecord | undefined;

import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { get, getAll, StaleReadError, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey } from '../../project/index.ts';
import { type PitrRecord, pitrKey } from './record.ts';
import type { ResumePosition } from './resume-position.ts';
import { readPositions } from './resume-token-items.ts';

/** What a capture cycle reads before it does anything. */
export interface CycleContext {
  readonly tenant: Tenant;
  readonly pitr: PitrRecord;
  readonly project: ProjectRecord;
  readonly organization: OrganizationRecord;
  readonly positions: readonly ResumePosition[];
}

/** Undefined if there is nothing to capture: it was disabled, or the project or organization is deleted. */
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

/** Throws StaleReadError if the cycle has ended meanwhile. */
export const reloadSameCycle = async ({ tenant, pitr: { projectId, turn } }: CycleContext): Promise<CycleContext> => {
  const cycle = await loadCycleContext(tenant, projectId);
  if (cycle?.pitr.turn !== turn) throw new StaleReadError();
  return cycle;
};

export const readPitr = (tenant: Tenant, projectId: string): Promise<PitrRecord | undefined> =>
  get(pitrKey.pitr(tenant, projectId));

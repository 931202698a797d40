import { invalid } from '../contract/errors.ts';
import { getAll, type Tenant } from '../platform/index.ts';
import { projectKey } from './record.ts';

/** Throws unless all are projects of the organization. An id of `before` is accepted even if the project was deleted since. */
export const assertProjects = async (
  tenant: Tenant,
  projectIds: readonly string[] | null | undefined,
  before: readonly string[] = [],
): Promise<void> => {
  const added = projectIds?.filter((id) => !before.includes(id)) ?? [];
  const found = await getAll(added.map((id) => projectKey.project(tenant, id)));
  const invalidValues = added.filter((_, n) => found[n] === undefined);
  if (invalidValues.length > 0) throw invalid('projectIds', 'must be ids of projects of this organization', { invalidValues });
};

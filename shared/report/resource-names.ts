import { listDestinations } from '../destination/index.ts';
import { listMembers } from '../organization/index.ts';
import type { Tenant } from '../platform/index.ts';
import { walkProjects } from '../project/index.ts';
import { listRestoreTests } from '../restore-test/index.ts';

const all = { limit: 1_000, after: undefined };

/** The current names of what entries of the audit log have only the id of. */
export const readResourceNames = async (tenant: Tenant): Promise<ReadonlyMap<string, string>> => {
  const [projects, { destinations }, { items: restoreTests }, { members }] = await Promise.all([
    Array.fromAsync(walkProjects(tenant)),
    listDestinations(tenant, all),
    listRestoreTests(tenant, {}, all),
    listMembers(tenant, all),
  ]);
  return new Map([
    ...[...projects, ...destinations, ...restoreTests].map(({ id, name }) => [id, name] as const),
    ...members.map(({ member, profile }) => [member.userId, [profile?.name, profile?.email].join(' ')] as const),
  ]);
};

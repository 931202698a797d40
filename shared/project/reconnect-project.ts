/** Connecting a project again: with the new access if the source takes it, and marked where it does not. */
import { type Actor, auditEntry, type Origin } from '../audit/index.ts';
import type { ApiError } from '../contract/errors.ts';
import { type Change, commit, iso, type Tenant } from '../platform/index.ts';
import { connectedWrite, unauthorizedWrite } from './connection-status.ts';
import { isRefusedBySource, probeProject } from './probe-project.ts';
import type { Connection, ProjectRecord } from './record.ts';

/** The project as it is once the source has let the connection in. */
export const reconnectProject = (
  tenant: Tenant,
  project: ProjectRecord,
  connection: Connection,
  now: Date,
): { project: ProjectRecord; change: Change } => ({
  project: { ...project, status: 'connected', connection, updatedAt: iso(now) },
  change: {
    writes: [connectedWrite(tenant, project, now, connection)],
    audit: [
      {
        scope: tenant.organizationId,
        resource: { type: 'project', id: project.id },
        details: { connection: { type: connection.type, email: connection.email } },
      },
    ],
  },
});

/** Asks the source. A refusal is noted before it is told: the call changes nothing else. */
export const probeAndRecord = async (
  { tenant, actor, origin }: { readonly tenant: Tenant; readonly actor: Actor; readonly origin: Origin },
  project: ProjectRecord,
  connection: Connection,
  now: Date,
): Promise<void> => {
  try {
    await probeProject(tenant, { ...project, connection });
  } catch (error) {
    if (isRefusedBySource(error) && project.status === 'connected') {
      const resource = { type: 'project', id: project.id };
      const note = { scope: tenant.organizationId, resource, details: { reason: (error as ApiError).details?.reason } };
      await commit([unauthorizedWrite(tenant, project, now), auditEntry('project.unauthorized', note, actor, origin, now)]);
    }
    throw error;
  }
};

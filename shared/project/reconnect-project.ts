import { type Actor, auditEntry, auditNote, type Origin } from '../audit/index.ts';
import type { ApiError } from '../contract/errors.ts';
import { type Change, commit, iso, type Tenant } from '../platform/index.ts';
import { connectedWrite, membershipCheck, unauthorizedWrite } from './connection-status.ts';
import { isRefusedBySource, probeProject } from './probe-project.ts';
import { shownConnection } from './project-data.ts';
import type { Connection, DatabaseInfo, ProjectRecord } from './record.ts';

/** For a connection that the source has accepted. */
export const reconnectProject = (
  tenant: Tenant,
  {
    project,
    connection,
    database,
    now,
  }: {
    readonly project: ProjectRecord;
    readonly connection: Connection;
    readonly database: DatabaseInfo;
    readonly now: Date;
  },
): { project: ProjectRecord; change: Change } => ({
  project: { ...project, status: 'connected', connection, database, updatedAt: iso(now) },
  change: {
    writes: [connectedWrite(tenant, { project, now, connection, database }), ...membershipCheck(tenant, connection)],
    audit: [auditNote(tenant, { type: 'project', id: project.id, details: { connection: shownConnection(connection) } })],
  },
});

/** Probes the source. A denial is committed as the project's status before the error is thrown. */
export const probeAndRecord = async (
  { tenant, actor, origin }: { readonly tenant: Tenant; readonly actor: Actor; readonly origin: Origin },
  { project, connection, now }: { readonly project: ProjectRecord; readonly connection: Connection; readonly now: Date },
): Promise<DatabaseInfo> => {
  try {
    return await probeProject(tenant, { ...project, connection });
  } catch (error) {
    if (isRefusedBySource(error) && project.status === 'connected') {
      const note = auditNote(tenant, {
        type: 'project',
        id: project.id,
        details: { reason: (error as ApiError).details?.reason },
      });
      await commit([unauthorizedWrite(tenant, project, now), auditEntry('project.unauthorized', { note, actor, origin, now })]);
    }
    throw error;
  }
};

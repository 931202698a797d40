import { ownOrganization, titleOfProject } from '../../../../shared/contract/audit-names.ts';
import { paths } from '../paths.ts';
import type { AuditEntry } from './audit.ts';
import { useProjects } from './projects.ts';
import { useRestoreTests } from './restore-test/restore-tests.ts';
import { useStorageDestinations } from './storage.ts';
import { useMembers } from './team.ts';

export interface NamedResource {
  readonly name: string;
  /** The page of the resource; undefined where it has none or is gone. */
  readonly path: string | undefined;
}

/** What names a resource: an entry of the audit log, or of a report. */
export type NamingEntry = Pick<AuditEntry, 'action' | 'resource' | 'details'> & {
  readonly actor: { readonly id: string; readonly email: string | null };
};

/** The name and the page of what an entry is about. Entries have the name of most resources; others are looked up. */
export const useResourceNames = (enabled: boolean): ((entry: NamingEntry) => NamedResource) => {
  const { items: projects } = useProjects();
  const { items: destinations } = useStorageDestinations();
  const { items: restoreTests } = useRestoreTests();
  const { items: members } = useMembers(enabled);
  return ({ action, resource: { type, id }, details, actor }) => {
    const source = textOf(details.projectId);
    const target = textOf(details.targetProjectId);
    // An entry about a restore names both projects; its backup is of the source.
    const projectId = type === 'restore' ? (target ?? source) : source;
    const projectName = projects?.find((project) => project.id === (type === 'project' ? id : projectId))?.name;
    const found: Readonly<Record<string, string | undefined>> = {
      project: projectName,
      restore_test: restoreTests?.find((plan) => plan.id === id)?.name,
      storage_destination: destinations?.find((destination) => destination.id === id)?.name,
      member: members?.find(({ userId }) => userId === id)?.email,
      user: id === actor.id ? (actor.email ?? undefined) : members?.find(({ userId }) => userId === id)?.email,
      organization: ownOrganization,
    };
    const isGone = action.endsWith('.deleted') && type !== 'backup';
    return {
      name:
        textOf(details.name) ??
        (type === 'incident' ? textOf(details.title) : undefined) ??
        (projectName && titleOfProject(type, projectName)) ??
        found[type] ??
        textOf(details.email) ??
        id,
      path: isGone ? undefined : pathOf(type, id, projectId),
    };
  };
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const pathOf = (type: string, id: string, projectId: string | undefined): string | undefined => {
  const pages: Readonly<Record<string, string | undefined>> = {
    project: paths.project(id),
    backup: paths.backup(id),
    restore: paths.restore(id),
    export: paths.export(id),
    schedule: paths.schedule(id),
    restore_test: paths.restoreTest(id),
    erasure: projectId && paths.project(projectId, 'erasures'),
    storage_destination: paths.storage,
    alert: paths.alert(id),
    incident: paths.incident(id),
    webhook: paths.webhook(id),
    member: paths.team,
    invitation: paths.team,
    service_account: paths.apiKeys,
    api_key: paths.apiKeys,
    organization: paths.organization,
  };
  return pages[type];
};

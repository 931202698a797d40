import { readScopes, type Scope, scopes } from '../../../../../shared/contract/access.ts';
import type { ApiKey } from '../../data/api-keys.ts';

const firstUpper = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `Backups, projects (read)`: a resource without a word is read and written. */
export const permissionWords = (permissions: readonly Scope[]): string => {
  if (scopes.every((scope) => permissions.includes(scope))) return 'Everything';
  if (readScopes.every((scope) => permissions.includes(scope)) && permissions.length === readScopes.length)
    return 'Reads everything';
  const words = [...new Set(permissions.map((scope) => scope.split(':')[0] as string))].map((resource) => {
    const [reads, writes] = [
      permissions.includes(`${resource}:read` as Scope),
      permissions.includes(`${resource}:write` as Scope),
    ];
    if (resource === 'erasures' || (reads && writes)) return resource;
    return `${resource} (${reads ? 'read' : 'write'})`;
  });
  return firstUpper(words.join(', '));
};

/** The names of its projects; ids of those that are gone. */
export const keyProjectWords = ({ projectIds }: ApiKey, names: ReadonlyMap<string, string>): string =>
  projectIds?.map((id) => names.get(id) ?? id).join(', ') ?? 'All projects';

interface Preset {
  readonly title: string;
  readonly text: string;
  readonly role: ApiKey['role'];
  readonly permissions: readonly Scope[];
}

/** What most keys are made for. */
export const presets = {
  backup: {
    title: 'Back up from a pipeline',
    text: 'Before a deployment: starts backups and waits for them. Cannot delete any.',
    role: 'member',
    permissions: ['backups:read', 'backups:write', 'projects:read', 'storage:read'],
  },
  monitor: {
    title: 'Monitor, read only',
    text: 'Dashboards and reports: sees everything, changes nothing.',
    role: 'viewer',
    permissions: readScopes,
  },
  preview: {
    title: 'Restore into a preview',
    text: 'Fills a preview project from a backup. Limit it to the source and the preview.',
    role: 'member',
    permissions: ['backups:read', 'backups:write', 'projects:read'],
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof presets;

/** Entries of the audit log in words: the console shows them, and the search finds them. */

const resources: Readonly<Record<string, string>> = { pitr: 'point in time', auth: 'session', api_key: 'API key' };

/** 'service_account' → 'Service account' */
export const groupName = (group: string): string => {
  const subject = (resources[group] ?? group).replaceAll('_', ' ');
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`;
};

/** 'service_account.key_rotated' → 'Service account: key rotated' */
export const actionName = (action: string): string => {
  const [group = '', ...did] = action.split('.');
  return `${groupName(group)}: ${did.join(' ').replaceAll('_', ' ')}`;
};

interface NamedActor {
  readonly type: string;
  readonly id: string;
  readonly email: string | null;
  readonly name?: string | undefined;
}

export const actorName = ({ type, email, name, id }: NamedActor): string => {
  if (type === 'system') return `Service (${id})`;
  return type === 'api_key' ? `API key ${name ?? id}` : (email ?? id);
};

/** What has no name of its own has that of its project. */
const titles: Readonly<Record<string, (projectName: string) => string>> = {
  backup: (project) => `Backup of ${project}`,
  restore: (project) => `Restore into ${project}`,
  export: (project) => `Export of ${project}`,
  erasure: (project) => `Erasure in ${project}`,
};

/** Undefined if resources of the type have names of their own. */
export const titleOfProject = (type: string, projectName: string): string | undefined => titles[type]?.(projectName);

export const ownOrganization = 'This organization';

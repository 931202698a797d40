import type { Project } from '../../../data/projects.ts';
import { Notice } from '../../../ui/data/notice.tsx';

/** Says why prices and limits of the database are not known. */
export const DatabaseNotice = ({ database: { state, permission } }: Pick<Project, 'database'>) =>
  state === 'permission_missing' ? (
    <Notice tone="warn" title="Edition and location of the database are not known">
      The connected account lacks the permission <code className="wrap-anywhere">{permission}</code>. Backups work; costs are
      estimated with the dearest price.
    </Notice>
  ) : null;

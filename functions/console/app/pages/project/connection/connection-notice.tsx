import { usePermission } from '../../../api/permission.ts';
import { type Project, useCollections } from '../../../data/projects.ts';
import { SourceRefusal } from '../../../forms/connection/source-refusal.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { Button } from '../../../ui/form/button.tsx';

interface ConnectionNoticeProps {
  readonly project: Project;
  readonly onReconnect: () => void;
}

/** What is wrong with the connection now, found by reading the database. Shown while the project is not authorized. */
export const ConnectionNotice = ({ project, onReconnect }: ConnectionNoticeProps) => {
  const { items, query } = useCollections(project.id, true);
  const { reason } = usePermission('member');
  const button = (
    <div className="row">
      <Button variant="primary" icon="refresh" disabledReason={reason} onClick={onReconnect}>
        Reconnect
      </Button>
      <span className="small muted">
        Scheduled backups do not run until then. Existing backups stay, and can be restored into other projects.
      </span>
    </div>
  );
  if (query.error)
    return (
      <SourceRefusal
        error={query.error}
        title="The database can no longer be read"
        sourceProjectId={project.sourceProjectId}
        actions={button}
      />
    );
  if (!items) return <SkeletonText lines={2} />;
  return (
    <div className="stack">
      <Notice tone="warn" title="Access was denied, and works again now">
        Reconnect to confirm it: scheduled backups wait for that.
      </Notice>
      {button}
    </div>
  );
};

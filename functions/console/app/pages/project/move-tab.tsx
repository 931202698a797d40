import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { roleAtLeast } from '../../../../../shared/contract/access.ts';
import { usePermission } from '../../api/permission.ts';
import { rememberOrganization, useMembership, useSession } from '../../api/session.ts';
import { type Project, useMoveProject, usePitr, useProject } from '../../data/projects.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Select } from '../../ui/form/field.tsx';
import { RecordOptions } from '../../ui/form/options.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { showToast } from '../../ui/overlay/toast.tsx';
import { useParam } from '../../use-param.ts';
import { MoveContents } from './move-contents.tsx';

export const MoveTab = () => {
  const { data, error, refetch } = useProject(useParam('projectId'));
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return data ? <MoveForm project={data} /> : <SkeletonText />;
};

const MoveForm = ({ project }: { readonly project: Project }) => {
  const { organizations } = useSession();
  const here = useMembership();
  const targets = organizations.filter(({ id, role }) => id !== here.id && roleAtLeast(role, 'admin'));
  const [chosen, setChosen] = useState<string>();
  const target = targets.find(({ id }) => id === chosen) ?? targets[0];
  const { reason } = usePermission('admin');
  const { data: pitr } = usePitr(project.id);
  const isCaptured = pitr?.enabled || pitr?.latestRestorableAt;
  const [isOpen, setOpen] = useState(false);
  const move = useMoveProject(project.id);
  const navigate = useNavigate();
  const finish = (): void => {
    if (!target) return;
    showToast(`${project.name} belongs to ${target.name} now`);
    void navigate({ to: paths.project(project.id) });
    rememberOrganization(target.id);
  };
  const missing = reason ?? (target ? undefined : 'You are admin of no other organization');
  return (
    <Card
      title="Move to another organization"
      description="The project keeps its id, so that addresses and scripts of the API go on to work there."
    >
      <div className="form">
        {isCaptured && (
          <Notice tone="warn" title="Captured changes keep it here">
            Disable point-in-time recovery first. Once the captured changes are older than their retention, the project can be
            moved.
          </Notice>
        )}
        {targets.length === 0 ? (
          <Notice title="There is no organization to move it to">
            You need the role admin in this organization and in the other one.
          </Notice>
        ) : (
          <Select label="To" value={target?.id} onChange={({ target: { value } }) => setChosen(value)}>
            <RecordOptions of={targets} />
          </Select>
        )}
        <MoveContents isOwnerOfBoth={here.role === 'owner' && target?.role === 'owner'} project={project} />
        <div className="form__actions">
          <Button icon="arrowRight" disabledReason={missing} onClick={() => setOpen(true)}>
            Move…
          </Button>
        </div>
      </div>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={`Move ${project.name} to ${target?.name}?`}
        typed={project.name}
        action="Move"
        mutation={move}
        onConfirm={() => target && move.mutate(target.id, { onSuccess: finish })}
      >
        <p>
          Everyone in {here.name} loses access to this project and its backups; the members of {target?.name} get it.
        </p>
      </ConfirmDialog>
    </Card>
  );
};

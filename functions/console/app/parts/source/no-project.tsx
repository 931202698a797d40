import type { ReactNode } from 'react';
import { usePermission } from '../../api/permission.ts';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';

/** In place of what needs a project, in an organization without any. */
export const NoProject = ({ children }: { readonly children: ReactNode }) => {
  const { reason } = usePermission('member');
  return (
    <EmptyState
      icon="database"
      title="No project is connected"
      actions={
        <ButtonLink variant="primary" to={paths.connectProject} disabledReason={reason}>
          Connect a project
        </ButtonLink>
      }
    >
      {children}
    </EmptyState>
  );
};

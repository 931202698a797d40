import { usePermission } from '../api/permission.ts';
import { paths, type RestoreParams } from '../paths.ts';
import { ButtonLink } from '../ui/form/button-link.tsx';

interface RestoreLinkProps {
  readonly from: RestoreParams;
  /** Read aloud in place of the text, where that alone does not say enough. */
  readonly label?: string;
}

/** The way to the restore wizard in a row of a table; disabled for people who may not restore. */
export const RestoreLink = ({ from, label }: RestoreLinkProps) => {
  const { reason } = usePermission('member');
  return (
    <ButtonLink
      size="small"
      variant="quiet"
      icon="undo"
      to={paths.restoreWizard(from)}
      disabledReason={reason}
      {...(label !== undefined && { label })}
    >
      Restore
    </ButtonLink>
  );
};

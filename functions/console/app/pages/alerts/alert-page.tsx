import { type Alert, useAlert, useDeleteAlert, useToggleAlert } from '../../data/alerts.ts';
import { ResourcePage } from '../../frame/resource-page.tsx';
import { NotificationActions } from '../../parts/notification-actions.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { useParam } from '../../use-param.ts';
import { AlertDetails } from './alert-details.tsx';
import { AlertForm } from './alert-form.tsx';
import { AlertMessages } from './alert-messages.tsx';
import { TestDialog } from './alert-test-dialog.tsx';
import { DigestDialog } from './digest-dialog.tsx';

export const AlertPage = () => {
  const alertId = useParam('alertId');
  return (
    <ResourcePage
      read={useAlert(alertId)}
      what="alert"
      crumb={{ label: 'Alerts', to: paths.alerts }}
      badge={({ status, isDefault }) => (
        <>
          <Status status={status} />
          {isDefault && <Badge>Default</Badge>}
        </>
      )}
      actions={(alert) => <AlertActions alert={alert} />}
    >
      {(alert) => (
        <>
          <AlertDetails alert={alert} />
          <AlertMessages alertId={alertId} />
        </>
      )}
    </ResourcePage>
  );
};

const AlertActions = ({ alert }: { readonly alert: Alert }) => (
  <NotificationActions
    item={alert}
    what="alert"
    test={(onClose) => <TestDialog alert={alert} onClose={onClose} />}
    edit={(onClose) => <AlertForm alert={alert} onClose={onClose} />}
    more={[
      {
        icon: 'document',
        label: 'Preview the weekly digest…',
        isForAll: true,
        dialog: (onClose) => <DigestDialog onClose={onClose} />,
      },
    ]}
    toggle={useToggleAlert(alert.id)}
    remove={useDeleteAlert(alert.id)}
    listTo={paths.alerts}
    consequence="Nothing is sent to it any more, pending messages and recoveries included. Its list of messages is gone. Incidents are still recorded."
  />
);

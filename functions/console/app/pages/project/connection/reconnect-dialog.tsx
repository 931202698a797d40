import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { signIn } from '../../../api/session.ts';
import { type Project, useReconnect } from '../../../data/projects.ts';
import { ConnectButtons } from '../../../forms/connection/connect-buttons.tsx';
import { keylessFields } from '../../../forms/connection/keyless-fields.tsx';
import { type Method, MethodFields } from '../../../forms/connection/method-fields.tsx';
import { missingOf } from '../../../forms/connection/missing-of.ts';
import { SourceRefusal } from '../../../forms/connection/source-refusal.tsx';
import { type GoogleKey, googleCredentials } from '../../../forms/google-key/google-key.ts';
import { emptyKeyless, type Keyless, workloadIdentityOf } from '../../../forms/keyless/keyless.ts';
import { paths } from '../../../paths.ts';
import { Button } from '../../../ui/form/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';

interface ReconnectDialogProps {
  readonly project: Project;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Replaces the credentials of a project; the old ones are forgotten once the new ones work. */
export const ReconnectDialog = ({ project, open, onClose }: ReconnectDialogProps) => {
  const { id, name, sourceProjectId, connection } = project;
  const [method, setMethod] = useState<Method>(connection.type);
  const [serviceKey, setServiceKey] = useState<GoogleKey>();
  const [keyless, setKeyless] = useState<Keyless>({ ...emptyKeyless, projectNumber: numberOf(connection.audience) });
  const reconnect = useReconnect(id);
  const { reason } = usePermission('member');
  const missing = reason ?? missingOf(method, serviceKey, keyless);
  const close = (): void => {
    setServiceKey(undefined);
    reconnect.reset();
    onClose();
  };
  const chooseMethod = (chosen: Method): void => {
    setMethod(chosen);
    reconnect.reset();
  };
  const submit = (): void => {
    const body = {
      ...(method === 'service_account' && serviceKey && { credentials: googleCredentials(serviceKey) }),
      ...(method === 'workload_identity' && workloadIdentityOf(keyless)),
    };
    reconnect.mutate(body, { onSuccess: close });
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={`Reconnect ${name}`}
      description="Access is checked first. Only if it works are the present credentials replaced."
      wide
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <ConnectButtons
            action="Reconnect"
            method={method}
            error={reconnect.error}
            busy={reconnect.isPending}
            reason={missing}
            onConsent={() => signIn(`${paths.project(id)}?reconnect=true`)}
            onSubmit={submit}
          />
        </>
      }
    >
      <MethodFields
        method={method}
        onMethod={chooseMethod}
        serviceKey={serviceKey}
        onServiceKey={setServiceKey}
        keyless={keyless}
        onKeyless={(changes) => setKeyless({ ...keyless, ...changes })}
        error={reconnect.error}
        sourceProjectId={sourceProjectId}
      />
      {reconnect.error && (
        <SourceRefusal
          error={reconnect.error}
          title="The project was not reconnected"
          shownFields={['credentials.privateKey', 'credentials.clientEmail', ...keylessFields]}
          sourceProjectId={sourceProjectId}
          isForm={method === 'user'}
        />
      )}
    </Dialog>
  );
};

/** The project number in the name of a provider. */
const numberOf = (audience = ''): string => /\/projects\/(\d+)\//.exec(audience)?.[1] ?? '';

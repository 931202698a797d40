import { type FormEvent, type ReactNode, useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { signIn } from '../../api/session.ts';
import { useDraft } from '../../api/use-draft.ts';
import { type Project, useConnectProject } from '../../data/projects.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { Input } from '../../ui/form/field.tsx';
import { type GoogleKey, googleCredentials } from '../google-key/google-key.ts';
import { emptyKeyless, workloadIdentityOf } from '../keyless/keyless.ts';
import { ConnectButtons } from './connect-buttons.tsx';
import { keylessFields } from './keyless-fields.tsx';
import { type Method, MethodFields } from './method-fields.tsx';
import { missingOf } from './missing-of.ts';
import { SourceRefusal } from './source-refusal.tsx';

interface ConnectProjectFormProps {
  readonly onConnected: (project: Pick<Project, 'id'>) => void;
  /** The page of this form, to come back to after the consent of Google. */
  readonly returnTo: string;
  /** Further buttons. */
  readonly children?: ReactNode;
}

const empty = { name: '', sourceProjectId: '', databaseId: '(default)', method: 'user' as Method, keyless: emptyKeyless };
const shownFields = [
  ...['name', 'sourceProjectId', 'databaseId', 'credentials.privateKey', 'credentials.clientEmail'],
  ...keylessFields,
];

/** Connects a Firestore database without a key, with the person's own Google account, or with the key of a service account. */
export const ConnectProjectForm = ({ onConnected, returnTo, children }: ConnectProjectFormProps) => {
  const [{ method, keyless, ...draft }, change, forget] = useDraft('connectProject', empty);
  const [key, setKey] = useState<GoogleKey>();
  const connect = useConnectProject();
  const { reason } = usePermission('member');
  const { name, sourceProjectId, databaseId } = draft;
  const { error } = connect;
  const missing =
    reason ?? (sourceProjectId === '' ? 'Enter the id of the Google Cloud project first' : missingOf(method, key, keyless));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (missing || connect.isPending) return;
    const body = {
      name: name.trim() || sourceProjectId,
      sourceProjectId,
      databaseId: databaseId || '(default)',
      ...(method === 'service_account' && key && { credentials: googleCredentials(key) }),
      ...(method === 'workload_identity' && workloadIdentityOf(keyless)),
    };
    connect.mutate(body, {
      onSuccess: (project) => {
        forget();
        onConnected(project);
      },
    });
  };
  const chooseKey = (chosen: GoogleKey | undefined): void => {
    setKey(chosen);
    if (chosen?.projectId && sourceProjectId === '') change({ sourceProjectId: chosen.projectId });
  };
  const chooseMethod = (chosen: Method): void => {
    change({ method: chosen });
    connect.reset();
  };
  return (
    <form className="form" onSubmit={submit}>
      <Input
        label="Google Cloud project id"
        hint="In the Google Cloud console at the top of every page, such as my-shop-1234."
        value={sourceProjectId}
        onChange={({ target }) => change({ sourceProjectId: target.value.trim() })}
        error={fieldError(error, 'sourceProjectId')}
        spellCheck={false}
        autoCapitalize="off"
        mono
        required
      />
      <div className="form__pair">
        <Input
          label="Name"
          optional
          hint="What your team calls it. Without one, the id."
          placeholder={sourceProjectId}
          value={name}
          onChange={({ target }) => change({ name: target.value })}
          error={fieldError(error, 'name')}
        />
        <Input
          label="Database"
          hint="Change it only for a named database."
          value={databaseId}
          onChange={({ target }) => change({ databaseId: target.value.trim() })}
          error={fieldError(error, 'databaseId')}
          spellCheck={false}
          autoCapitalize="off"
          mono
        />
      </div>
      <MethodFields
        method={method}
        onMethod={chooseMethod}
        serviceKey={key}
        onServiceKey={chooseKey}
        keyless={keyless}
        onKeyless={(changes) => change({ keyless: { ...keyless, ...changes } })}
        error={error}
        sourceProjectId={sourceProjectId}
      />
      {error && (
        <SourceRefusal
          error={error}
          title="The project was not connected"
          shownFields={shownFields}
          sourceProjectId={sourceProjectId}
          isForm={method === 'user'}
        />
      )}
      <div className="form__actions">
        <ConnectButtons
          action="Connect"
          method={method}
          error={error}
          busy={connect.isPending}
          reason={missing}
          onConsent={() => signIn(returnTo)}
        />
        {children}
      </div>
    </form>
  );
};

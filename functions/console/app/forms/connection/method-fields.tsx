import { useSession } from '../../api/session.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';
import type { GoogleKey } from '../google-key/google-key.ts';
import { GoogleKeyField } from '../google-key/google-key-field.tsx';
import type { Keyless } from '../keyless/keyless.ts';
import { grantCommand } from './grant-command.ts';
import { KeylessFields } from './keyless-fields.tsx';

export type Method = 'user' | 'service_account' | 'workload_identity';

interface MethodFieldsProps {
  readonly method: Method;
  readonly onMethod: (method: Method) => void;
  readonly serviceKey: GoogleKey | undefined;
  readonly onServiceKey: (key: GoogleKey | undefined) => void;
  readonly keyless: Keyless;
  readonly onKeyless: (changes: Partial<Keyless>) => void;
  /** Of the last attempt; its fields show theirs. */
  readonly error: unknown;
  /** Fills the commands to paste. */
  readonly sourceProjectId: string;
}

const methods = [
  {
    value: 'user',
    title: 'Your Google account',
    children: 'Quick to start: nothing to set up. Backups stop if you leave the organization or withdraw the consent.',
  },
  {
    value: 'workload_identity',
    title: 'Without a key (best for production)',
    children:
      'Three commands to paste: Google then trusts this service for your organization only. Nothing secret exists or expires.',
  },
  {
    value: 'service_account',
    title: 'Service account key',
    children: 'Belongs to the project, not to a person. You keep and rotate the key.',
  },
] as const;

/** How the service reads the database, with the steps of each way. */
export const MethodFields = ({ method, onMethod, sourceProjectId, error, ...fields }: MethodFieldsProps) => {
  const { email } = useSession();
  const keyError = fieldError(error, 'credentials.privateKey') ?? fieldError(error, 'credentials.clientEmail');
  return (
    <>
      <RadioCards legend="How to connect" showsLegend value={method} cards={methods} onChange={onMethod} />
      {method === 'workload_identity' && (
        <KeylessFields
          keyless={fields.keyless}
          onKeyless={fields.onKeyless}
          sourceProjectId={sourceProjectId}
          errorOf={(field) => fieldError(error, `workloadIdentity.${field}`)}
        />
      )}
      {method === 'user' && (
        <p className="secondary">
          Backups read the database as <strong className="wrap-anywhere">{email}</strong>. This account needs the role{' '}
          <code>roles/datastore.viewer</code> on the Google Cloud project, and <code>roles/datastore.user</code> to restore into
          it.
        </p>
      )}
      {method === 'service_account' && (
        <>
          <ServiceAccountSteps sourceProjectId={sourceProjectId} />
          <GoogleKeyField value={fields.serviceKey} onChange={fields.onServiceKey} error={keyError} />
        </>
      )}
    </>
  );
};

const ServiceAccountSteps = ({ sourceProjectId }: { readonly sourceProjectId: string }) => {
  const project = sourceProjectId || 'YOUR-PROJECT-ID';
  const account = `backups@${project}.iam.gserviceaccount.com`;
  return (
    <ol className="steps">
      <li>
        <div>Create a service account for the backups.</div>
        <CodeBlock
          label="Command that creates the service account"
          code={`gcloud iam service-accounts create backups --project=${project} --display-name="Backups"`}
        />
      </li>
      <li>
        <div>
          Let it read the database. To restore into this project later, grant <code>roles/datastore.user</code> instead.
        </div>
        <CodeBlock label="Command that grants access" code={grantCommand(project, account, 'roles/datastore.viewer')} />
      </li>
      <li>
        <div>Create a key, then choose the file below.</div>
        <CodeBlock
          label="Command that creates the key"
          code={`gcloud iam service-accounts keys create backups-key.json --iam-account=${account}`}
        />
      </li>
    </ol>
  );
};

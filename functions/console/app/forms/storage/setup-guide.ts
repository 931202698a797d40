/** What to do at each provider before its bucket can be used, to be pasted. */
import { permissionPolicy, type Trusted, trustPolicy } from './aws-policies.ts';
import type { ProviderId } from './providers.ts';
import type { StorageDraft } from './storage-draft.ts';

interface SetupStep {
  readonly text: string;
  /** Says what the code is; absent if there is nothing to paste. */
  readonly label?: string;
  readonly code?: string;
}

type Chosen = Pick<StorageDraft, 'bucket' | 'prefix' | 'usesRole' | 'isKeyless' | 'immutable' | 'lockMode'>;

export const setupGuide = (provider: ProviderId, draft: Chosen, trusted: Trusted): readonly SetupStep[] =>
  guides[provider]({ ...draft, bucket: draft.bucket || 'my-backups' }, trusted);

const lines = (...parts: readonly string[]): string => parts.join('\n');

const policyStep = (draft: Chosen, text: string): SetupStep => ({
  text,
  label: 'Permission policy',
  code: permissionPolicy({ ...draft, isLocked: draft.lockMode !== '' }),
});

/** Object lock is a property that a bucket gets when it is created. */
const lockStep = ({ lockMode }: Chosen, code: string): readonly SetupStep[] =>
  lockMode === ''
    ? []
    : [{ text: 'Create the bucket with object lock, if it does not exist.', label: 'Command that creates the bucket', code }];

const s3LockStep = (draft: Chosen): readonly SetupStep[] =>
  lockStep(draft, `aws s3api create-bucket --bucket ${draft.bucket} --object-lock-enabled-for-bucket`);

const googleKeyStep = (bucket: string): SetupStep => ({
  text: 'Create a service account that may use the bucket, and choose its key file below.',
  label: 'Commands for the Google Cloud shell',
  code: lines(
    'gcloud iam service-accounts create backup-writer',
    `gcloud storage buckets add-iam-policy-binding gs://${bucket} \\`,
    '  --member="serviceAccount:backup-writer@$(gcloud config get project).iam.gserviceaccount.com" \\',
    '  --role=roles/storage.objectAdmin',
    'gcloud iam service-accounts keys create key.json \\',
    '  --iam-account="backup-writer@$(gcloud config get project).iam.gserviceaccount.com"',
  ),
});

const guides: Readonly<Record<ProviderId, (draft: Chosen, trusted: Trusted) => readonly SetupStep[]>> = {
  s3: (draft, trusted) =>
    draft.usesRole
      ? [
          ...s3LockStep(draft),
          {
            text: 'Save this trust policy of the role as trust.json. The external id keeps everyone else from using your role through this service.',
            label: 'Trust policy',
            code: trustPolicy(trusted),
          },
          policyStep(draft, 'Save this permission policy of the role as policy.json.'),
          {
            text: 'Create the role, and enter its ARN below. The path is needed if the role is in the account of the service itself.',
            label: 'Commands that create the role',
            code: lines(
              'aws iam create-role --role-name backups --path /backup-destination/ --assume-role-policy-document file://trust.json',
              'aws iam put-role-policy --role-name backups --policy-name backups --policy-document file://policy.json',
            ),
          },
        ]
      : [
          ...s3LockStep(draft),
          policyStep(draft, 'Save this permission policy as policy.json.'),
          {
            text: 'Create a user with it, and enter its access key below.',
            label: 'Commands that create the access key',
            code: lines(
              'aws iam create-user --user-name backups',
              'aws iam put-user-policy --user-name backups --policy-name backups --policy-document file://policy.json',
              'aws iam create-access-key --user-name backups',
            ),
          },
        ],
  gcs: ({ bucket, ...draft }) => [
    ...lockStep({ bucket, ...draft }, `gcloud storage buckets create gs://${bucket} --enable-per-object-retention`),
    // Without a key, the service itself names the commands.
    ...(draft.isKeyless ? [] : [googleKeyStep(bucket)]),
  ],
  r2: ({ bucket }) => [
    {
      text: `In the Cloudflare dashboard choose R2, Manage API tokens, and create a token with “Object Read & Write” for the bucket ${bucket}.`,
    },
    { text: 'Enter its access key id, its secret access key and the endpoint that Cloudflare shows below.' },
  ],
  b2: ({ bucket, prefix, immutable, lockMode }) => [
    {
      text: 'Create an application key. It prints the access key id, then the secret access key.',
      label: 'Command that creates the key',
      code: [
        `b2 key create --bucket ${bucket}${prefix ? ` --name-prefix ${prefix.replace(/\/?$/, '/')}` : ''} backups`,
        [
          ...['listBuckets', 'listFiles', 'readFiles', 'writeFiles'],
          ...(immutable ? [] : ['deleteFiles']),
          ...(lockMode === '' ? [] : ['readFileRetentions', 'writeFileRetentions']),
        ].join(','),
      ].join(' '),
    },
  ],
  wasabi: (draft) => [
    ...(draft.lockMode === '' ? [] : [{ text: 'Create the bucket with object locking, if it does not exist.' }]),
    policyStep(draft, 'In the Wasabi console create a policy with this text.'),
    { text: 'Create a user with programmatic access and this policy, and enter its access key below.' },
  ],
  spaces: ({ bucket }) => [
    {
      text: 'Create a key for the bucket. It prints the access key id and the secret access key.',
      label: 'Command that creates the key',
      code: `doctl spaces keys create backups --grants "bucket=${bucket};permission=readwrite"`,
    },
  ],
  compatible: (draft) => [
    ...lockStep(draft, `mc mb --with-lock myminio/${draft.bucket}`),
    policyStep(
      draft,
      'For MinIO, save this policy as policy.json. Other stores take the same or offer “read and write” for a bucket.',
    ),
    {
      text: 'Create a user with it. Its name is the access key id, its password the secret access key.',
      label: 'Commands that create the user',
      code: lines(
        'mc admin policy create myminio backups policy.json',
        'mc admin user add myminio backups <password>',
        'mc admin policy attach myminio backups --user backups',
      ),
    },
  ],
};

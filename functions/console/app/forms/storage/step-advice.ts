import type { StorageFailureKind } from '../../../../../shared/contract/models/storage-destination.ts';

interface Finding {
  /** The failed step of a test; null if a job failed. */
  readonly step: string | null | undefined;
  readonly kind: StorageFailureKind | null | undefined;
}

/** What to do if the store refused a step. */
const deniedAdvices: Readonly<Record<string, string>> = {
  credentials: 'The credentials stayed with the organization that the project was moved from. Enter them again.',
  role: 'Check the trust policy of the role: it must allow this deployment, and require the external id of your organization.',
  workloadIdentity:
    'Run the commands for the bucket, wait five minutes for Google to apply them, and check the project number. The provider must accept your organization only.',
  write: 'The credentials need permission to write objects (s3:PutObject, or roles/storage.objectAdmin).',
  read: 'The credentials need permission to read objects (s3:GetObject, or roles/storage.objectAdmin).',
  readPart: 'The credentials need permission to read objects (s3:GetObject, or roles/storage.objectAdmin).',
  list: 'The credentials need permission to list the bucket (s3:ListBucket, or roles/storage.objectAdmin).',
  lock: 'The credentials need permission to lock objects (s3:PutObjectRetention and s3:GetObjectRetention, or storage.objects.setRetention).',
  delete:
    'The credentials need permission to delete objects (s3:DeleteObject), or choose that the service must not delete anything in this bucket.',
};

const kindAdvices: Readonly<Record<StorageFailureKind, string>> = {
  denied: 'Check the credentials and what they may do in this bucket.',
  missing: 'Check the name of the bucket, its region and the endpoint. Create the bucket first.',
  invalid: 'Check the endpoint, the region and the settings of the bucket.',
  unavailable: 'Check the endpoint, then try again in a moment.',
};

/** What to do about a finding of a test; undefined if the store did not say enough. */
export const findingAdvice = ({ step, kind }: Finding): string | undefined => {
  if (!kind) return undefined;
  const denied = kind === 'denied' && step && Object.hasOwn(deniedAdvices, step) ? deniedAdvices[step] : undefined;
  return denied ?? kindAdvices[kind];
};

/** The steps of a test in words. */
const words: Readonly<Record<string, string>> = {
  readPart: 'read a part',
  open: 'connect',
  role: 'assume the role',
  workloadIdentity: 'get a token from Google',
};
export const stepWords = (step: string): string => (Object.hasOwn(words, step) ? (words[step] as string) : step);

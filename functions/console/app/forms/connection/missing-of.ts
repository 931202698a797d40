import type { GoogleKey } from '../google-key/google-key.ts';
import type { Keyless } from '../keyless/keyless.ts';
import type { Method } from './method-fields.tsx';

/** What a person has to enter first. */
export const missingOf = (method: Method, key: GoogleKey | undefined, { projectNumber }: Keyless): string | undefined => {
  if (method === 'service_account' && !key) return 'Choose the key file first';
  return method === 'workload_identity' && projectNumber === '' ? 'Enter the project number first' : undefined;
};

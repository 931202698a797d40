import type { Addresses } from '../../../local/boot/local-config.ts';

/** The addresses in the packaged template. A start replaces their ports by its own. */
export const placeholderAddresses: Addresses = {
  apiUrl: 'http://localhost:64001',
  identityUrl: 'http://localhost:64002',
  firestoreUrl: 'http://127.0.0.1:64003',
  s3Url: 'http://localhost:64004',
  gcsUrl: 'http://localhost:64005',
};

/** Stands for all of WEBHOOK_ALLOWED_HOSTS. */
export const placeholderHost = 'allowed-hosts.invalid:64009';

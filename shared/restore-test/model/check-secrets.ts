/** The URL and the secret of a check: encrypted at rest for that plan. The secret is shown once, when it is set. */
import { openSecret, sealSecret, secretMask, type Tenant } from '../../platform/index.ts';
import { newSecret } from '../../webhook/index.ts';
import type { SealedCheck } from './record.ts';

/** `part` prevents an encrypted URL from being decrypted as a secret. */
const context = (tenant: Tenant, restoreTestId: string, part: 'url' | 'secret') => ({
  organization: tenant.organizationId,
  restoreTest: restoreTestId,
  purpose: 'restore-test-check',
  part,
});

/** 'https://checks.example.com/ready?key=X' → 'https://checks.example.com/********' */
const shownUrl = (url: string): string => {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? url : `${origin}/${secretMask}`;
};

export interface CheckInput {
  readonly url: string;
  readonly secret?: string | undefined;
  readonly timeoutSeconds: number;
}

/** A check without a secret gets a new one. */
export const sealCheck = async (
  tenant: Tenant,
  restoreTestId: string,
  { url, secret = newSecret(), timeoutSeconds }: CheckInput,
): Promise<{ readonly check: SealedCheck; readonly secret: string }> => {
  const [sealedUrl, sealedSecret] = await Promise.all([
    sealSecret(url, context(tenant, restoreTestId, 'url')),
    sealSecret(secret, context(tenant, restoreTestId, 'secret')),
  ]);
  return { check: { shownUrl: shownUrl(url), sealedUrl, sealedSecret, timeoutSeconds }, secret };
};

export const openCheck = async (
  tenant: Tenant,
  restoreTestId: string,
  { sealedUrl, sealedSecret }: SealedCheck,
): Promise<{ readonly url: string; readonly secret: string }> => {
  const [url, secret] = await Promise.all([
    openSecret(sealedUrl, context(tenant, restoreTestId, 'url')),
    openSecret(sealedSecret, context(tenant, restoreTestId, 'secret')),
  ]);
  return { url, secret };
};

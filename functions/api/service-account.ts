import { serviceAccount } from '../../shared/contract/endpoints/service-account.ts';
import { handle } from '../../shared/http/index.ts';
import {
  createServiceAccount,
  organizationKey,
  readServiceAccount,
  removeServiceAccount,
} from '../../shared/organization/index.ts';
import { get as getItem } from '../../shared/platform/index.ts';

export const get = handle(serviceAccount.get, async ({ tenant }) => {
  const account = await readServiceAccount(tenant);
  const seen = await getItem(organizationKey.seen(tenant, account.id));
  return { data: { ...account, permissions: [...account.permissions], lastUsedAt: (seen?.at as string | undefined) ?? null } };
});

export const create = handle(serviceAccount.create, async (call) => {
  const { account, apiKey, change } = createServiceAccount(call, call.body, call.now);
  return { data: { ...account, permissions: [...account.permissions], apiKey }, change };
});

export const remove = handle(serviceAccount.remove, async (call) => {
  const change = removeServiceAccount(call, await readServiceAccount(call.tenant));
  return { message: 'The service account was deleted. Its API key no longer works', change };
});

import { serviceAccount } from '../../shared/contract/endpoints/service-account.ts';
import { handle } from '../../shared/http/index.ts';
import {
  createServiceAccount,
  organizationKey,
  readServiceAccount,
  readServiceAccountKey,
  removeServiceAccount,
  rotateApiKey,
  serviceAccountData,
  takeOverServiceAccount,
  updateServiceAccount,
} from '../../shared/organization/index.ts';
import { get as getItem, type Tenant } from '../../shared/platform/index.ts';

export const get = handle(serviceAccount.get, async ({ tenant, now }) => {
  const account = await readServiceAccount(tenant);
  return { data: serviceAccountData(account, await lastUsedAt(tenant, account.id), now) };
});

export const create = handle(serviceAccount.create, async (call) => {
  const { account, apiKey, change } = createServiceAccount(call, call.body, call.now);
  return { data: { ...account, permissions: [...account.permissions], apiKey }, change };
});

export const update = handle(serviceAccount.update, async (call) => {
  const { tenant, body, now } = call;
  const { account, change } = updateServiceAccount(call, await readServiceAccount(tenant), body);
  return { data: serviceAccountData(account, await lastUsedAt(tenant, account.id), now), change };
});

export const rotateKey = handle(serviceAccount.rotateKey, async (call) => {
  const found = await readServiceAccountKey(call.tenant);
  const { account, apiKey, change } = rotateApiKey(call, found, call.body.overlapHours, call.now);
  return { data: { ...serviceAccountData(account, null, call.now), apiKey }, change };
});

export const takeOver = handle(serviceAccount.takeOver, async (call) => {
  const { account, change } = takeOverServiceAccount(call, await readServiceAccount(call.tenant));
  return { data: serviceAccountData(account, await lastUsedAt(call.tenant, account.id), call.now), change };
});

export const remove = handle(serviceAccount.remove, async (call) => {
  const change = removeServiceAccount(call, await readServiceAccount(call.tenant));
  return { message: 'The service account was deleted. Its API key no longer works', change };
});

const lastUsedAt = async (tenant: Tenant, accountId: string): Promise<string | null> => {
  const seen = await getItem(organizationKey.seen(tenant, accountId));
  return (seen?.at as string | undefined) ?? null;
};
